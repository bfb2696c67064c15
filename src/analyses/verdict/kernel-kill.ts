import { formatBytes } from '../../base/bytes.ts';
import type { ReportFacts } from '../report-facts.ts';
import type { VerdictBuilder } from './builder.ts';
import type { Found } from './found.ts';

/** So near to its end memory is used up: the last pages come faster than samples. */
const FULL_SHARE = 0.95;
/** With so much left at every sample the machine itself was not full. */
const LEFT_SHARE = 0.1;
/** Less of what the workload held than this is not worth a word. */
const PINNED_SHARE = 0.1;

/** What the kernel's killer says, and where memory was full; null: it killed nothing of this workload, or nobody knows. */
export function addKernelKill(report: ReportFacts, words: VerdictBuilder): Found | null {
  if (!report.ending.oomKilled) return null;
  const kernel = words.theirs('kernel', report.ending.oomEvidence, 200);
  words.evidence('/ending/oomKilled', null, `the kernel's out-of-memory killer did it: ${kernel}`);
  addPinned(report, words);
  words.next('who held it, process by process', 'report', '{input}', '--json');
  return addKernelCause(report, words);
}

/** The kernel can neither swap out nor take back what is pinned. */
function addPinned({ pinned, headline }: ReportFacts, words: VerdictBuilder): void {
  const all = pinned.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all === 0 || all < PINNED_SHARE * (headline?.bytes ?? 0)) return;
  const rounding = pinned.reduce((sum, { tensors }) => sum + (tensors?.roundingBytes ?? 0), 0);
  const more =
    rounding > 0 ? `, ${formatBytes(rounding)} of it by rounding up to powers of two` : '';
  words.evidence(
    '/pinned/0/bytes',
    'bytes',
    `pinned for copies to a card, which no kernel takes back: ${formatBytes(all)}${more}`,
  );
  words.fix(
    'less-pinned',
    'pin less: pin_memory=False, or one buffer of a power of two that is used again (docs/pinned.md)',
    rounding > 0 ? { low: Math.round(rounding), high: Math.round(all) } : { low: 0, high: all },
  );
}

/** The kernel kills where a control group or the machine is full: which of them, by what was sampled. */
function addKernelCause(report: ReportFacts, words: VerdictBuilder): Found {
  const { recording, peaks } = report;
  const limit = recording.cgroup?.limitBytes ?? null;
  const group = peaks.findIndex(({ series }) => series === 'cgroup.current');
  if (limit !== null && group >= 0 && peaks[group]!.bytes >= FULL_SHARE * limit) {
    const reached = formatBytes(peaks[group]!.bytes);
    words.evidence(
      `/peaks/${group}/bytes`,
      'bytes',
      `its control group reached ${reached} of ${formatBytes(limit)}`,
    );
    return { code: 'limit', certainty: 'likely' };
  }
  const used = peaks.findIndex(({ series }) => series === 'host.used');
  const { memoryBytes } = recording.host;
  if (used < 0 || !memoryBytes) return { code: 'out-of-memory', certainty: 'certain' };
  const most = peaks[used]!.bytes;
  const held = `at most ${formatBytes(most)} of ${formatBytes(memoryBytes)} were in use`;
  if (most <= (1 - LEFT_SHARE) * memoryBytes) {
    words.evidence(`/peaks/${used}/bytes`, 'bytes', `excluded: the machine was not full: ${held}`);
    return { code: 'limit', certainty: 'likely' };
  }
  words.evidence(`/peaks/${used}/bytes`, 'bytes', `the machine: ${held}`);
  return most >= FULL_SHARE * memoryBytes
    ? { code: 'host-full', certainty: 'likely' }
    : { code: 'out-of-memory', certainty: 'certain' };
}
