import { figures } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';
import { type LeakCause, MAIN_CAUSE, NOTHING_KNOWN, share } from './rule.ts';

/** What a process's memory is made of, by the kernel's own words for it. */
const PARTS = { anon: 'private memory', file: 'pages of mapped files', shmem: 'shared memory' };

/** No rule shows a kind: what grows is named as far as the kernel tells it, and how to look further. */
export function undecided(breakdown: GrowthBreakdown): LeakCause {
  return {
    ...NOTHING_KNOWN,
    kind: 'unknown',
    name: mostGrowing(breakdown),
    evidence: figures(breakdown),
    advice: adviceFor(breakdown),
  };
}

function adviceFor(breakdown: GrowthBreakdown): string[] {
  const { rates, suspect, program } = breakdown;
  if (judgedWithFiles(breakdown) && share(breakdown, 'file') >= MAIN_CAUSE) {
    return ['these are pages of mapped files, which the kernel takes back when it needs them'];
  }
  if (rates.has('looks.taken')) {
    return [
      `containers that the program's own names lead to were looked at${rates.get('looks.cut') ? ', as far as the time for it reached' : ''}, and none has most of it: \`highwater record --heap 3 -- …\` takes three heaps on the way, with all objects`,
    ];
  }
  if (rates.has('python.blocks')) {
    return ['several things grow, and none explains most of it: record it for longer'];
  }
  if (suspect.role === 'data loader') {
    return [
      'nothing was told from inside these processes: with num_workers=0 the same code runs in the main one',
    ];
  }
  if (program.runtime === null) {
    return [
      'nothing is told from inside such a program: heaptrack, or valgrind --tool=massif, names the calls that allocate what stays',
    ];
  }
  const heaps =
    '`highwater record --heap 3 -- …` takes three heaps on the way: which objects grow, and who holds them';
  return program.runtime === 'python'
    ? [
        heaps,
        'nothing was told from inside: it was too short, or let no agent in (docs/injection.md)',
      ]
    : [heaps, 'buffers lie outside of the heap, but what holds them is in it'];
}

/** PSS and RSS take in pages of mapped files; what else is judged does not. */
const judgedWithFiles = ({ suspect: { measure } }: GrowthBreakdown): boolean =>
  measure === 'PSS' || measure === 'RSS';

function mostGrowing(breakdown: GrowthBreakdown): string | null {
  const { rates, growth } = breakdown;
  const parts = Object.entries(PARTS)
    .filter(([part]) => part !== 'file' || judgedWithFiles(breakdown))
    .map(([part, words]) => ({ words, rate: rates.get(part) ?? 0 }));
  const [most] = parts.sort((a, b) => b.rate - a.rate);
  return most && most.rate >= MAIN_CAUSE * growth ? most.words : null;
}
