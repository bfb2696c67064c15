import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { withoutAsides } from '../../base/text.ts';
import { rateWords } from '../../model/rate-words.ts';
import type { Unit } from '../../model/verdict.ts';
import type { KindEvidence } from '../leak/kind/evidence.ts';
import type { LeakKind } from '../leak/kind/rule.ts';
import type { ReportFacts } from '../report-facts.ts';
import type { VerdictBuilder } from './builder.ts';

const KINDS: Readonly<Record<LeakKind, string>> = {
  tensors: 'tensors that are kept',
  cache: 'a cache of tensors that grows as it serves',
  'python-objects': 'Python objects that are kept',
  'js-objects': 'JavaScript objects that are kept',
  'js-buffers': 'buffers that JavaScript objects keep',
  native: 'native memory, of a C extension or a library',
  allocator: 'memory that an allocator keeps free',
  'copy-on-write': 'copy-on-write: forked processes unshare pages',
  'shared-memory': 'shared memory (/dev/shm)',
  pinned: 'pinned pages: host memory that is locked for copies to a card',
  threads: 'threads that do not end',
  'open-files': 'files or sockets that are not closed',
  'surviving-process': 'processes that live on after the end',
  'more-processes': 'more and more processes',
  unknown: 'of a kind that the figures do not decide',
};

/** What grows is what letting go of it gains. */
const FIXES: Readonly<Record<LeakKind, string | null>> = {
  tensors:
    'keep numbers, not tensors, from step to step (loss.item(), tensor.detach()), or let go of them each step',
  cache:
    'bound the cache (evict the least recently used), or let go of each entry when its session ends',
  'python-objects': 'bound what is kept (maxlen, lru_cache(maxsize=…)), or clear it each epoch',
  'js-objects': 'bound the map, list or cache that keeps them; remove listeners, clear timers',
  'js-buffers': 'let go of what keeps the buffers; keep a copy of a slice, not the slice',
  native: 'look for what the extension or library does not release (close, del, a newer version)',
  allocator:
    'let the allocator give memory back (fewer arenas: MALLOC_ARENA_MAX=2, or malloc_trim)',
  'copy-on-write': 'hold what workers share in arrays or a file, not in many Python objects',
  'shared-memory': 'unlink or close shared memory when it is no longer needed',
  pinned: 'keep pageable copies of what stays, and pin only what is in flight to the card',
  threads: 'join each thread, or use a pool of a fixed size',
  'open-files': 'close each file and socket (with open(…) as file:)',
  'surviving-process': 'end and join every process that the program starts',
  'more-processes': 'wait for the processes that the program starts, or use a pool of a fixed size',
  unknown: null,
};

/** What grows, who holds it and what to do, for a sentence: `: 45 tensors held by list of 45 in losses; keep …`. */
export function leakReason(
  { leak: { kind, evidence } }: ReportFacts,
  words: VerdictBuilder,
): string {
  if (kind === null || kind === 'unknown') return '';
  const held = evidence.find(({ count, holder }) => count !== null && holder !== null);
  const what = held
    ? `${words.theirs('what', `${held.count} ${held.name}`, 60)} held by ${words.theirs('holder', held.holder!, 80)}`
    : withoutAsides(KINDS[kind].split(':')[0]!);
  const [remedy = ''] = withoutAsides(FIXES[kind] ?? '').split(/; |, or /);
  return `: ${what}${remedy === '' ? '' : `; ${remedy}`}`;
}

/** What grows, by how much, and who holds it; whether anything does. */
export function addLeak(report: ReportFacts, words: VerdictBuilder): boolean {
  const { leak } = report;
  if (leak.verdict !== 'leak') return false;
  const { trend, shelf, kind } = leak;
  if (trend?.verdict === 'leak') addTrend(report, words);
  if (shelf?.verdict === 'leak' && shelf.leakedBytes !== null) {
    const about = `± ${formatBytes(shelf.uncertaintyBytes ?? Number.NaN)}`;
    words.evidence(
      '/leak/shelf/leakedBytes',
      'bytes',
      `left behind after the end: ${formatDelta(shelf.leakedBytes)} ${about}`,
    );
    if (shelf.by === 'machine') {
      const whole = "this is the whole machine's memory: others may have had a part in it";
      words.against('/leak/shelf/series', null, whole);
    }
  }
  const device = report.devices.findIndex((one) => one.leak.verdict === 'leak');
  if (device >= 0) {
    const { requestedPerStep, steps } = report.devices[device]!.leak;
    words.evidence(
      `/devices/${device}/leak/requestedPerStep`,
      'bytes/step',
      `live memory grows by ${formatBytes(requestedPerStep ?? 0)} a step over ${steps} steps`,
    );
  }
  if (kind !== null) {
    words.evidence('/leak/kind', null, KINDS[kind]);
    addHolders(leak.evidence, words);
    addDoubts(leak, words);
    if (FIXES[kind]) words.fix(`leak-${kind}`, FIXES[kind], gain(report));
    // Where the kind is not known, the advice says where to look.
    else if (leak.advice[0]) words.fix('look', words.theirs('advice', leak.advice[0], 200), null);
  }
  addNext(kind, words);
  return true;
}

function addTrend({ leak }: ReportFacts, words: VerdictBuilder): void {
  const { trend, culprit } = leak;
  const unit: Unit = trend!.over === 'iterations' ? 'bytes/iteration' : 'bytes/second';
  const whom = culprit?.process ?? culprit?.role;
  const who = whom ? ` in ${words.theirs('process', whom, 80)}` : '';
  words.evidence('/leak/trend/slope/bytes', unit, `it grows ${rateWords(trend!)}${who}`);
  if (trend!.exhaustionSeconds !== null) {
    words.evidence('/leak/trend/exhaustionSeconds', 'seconds', 'until memory is full at this rate');
  }
}

/** Tensors, objects, places and files that grow; not the series beside them. */
function addHolders(evidence: readonly KindEvidence[], words: VerdictBuilder): void {
  const named = [...evidence.entries()].filter(([, { count, holder, madeBy }]) => {
    return count !== null || holder !== null || madeBy !== null;
  });
  for (const [i, one] of named.slice(0, 3)) {
    const what = words.theirs(
      'what',
      one.count === null ? one.name : `${one.count} ${one.name}`,
      100,
    );
    const made = one.madeBy ? `, made by ${words.theirs('maker', one.madeBy, 100)}` : '';
    const held = one.holder ? `, held by ${words.theirs('holder', one.holder, 120)}` : '';
    words.evidence(`/leak/evidence/${i}/amount`, unitOf(one), `grows: ${what}${made}${held}`);
  }
}

const unitOf = ({ unit, per }: KindEvidence): Unit =>
  per === 'run' || (unit === 'count' && per === 'step') ? unit : (`${unit}/${per}` as Unit);

/** All that was seen to grow, as far as its rate is known. */
function gain({
  leak: { trend, shelf },
  devices,
}: ReportFacts): { low: number; high: number } | null {
  if (trend?.verdict === 'leak' && trend.over === 'iterations') {
    const { low, high } = trend.slope;
    if (Number.isFinite(low) && Number.isFinite(high)) {
      const iterations = trend.iterations ?? trend.values;
      return { low: Math.round(low * iterations), high: Math.round(high * iterations) };
    }
  }
  if (trend?.verdict === 'leak' && Number.isFinite(trend.growthBytes)) {
    return { low: 0, high: Math.round(trend.growthBytes) };
  }
  const kept = devices.flatMap(({ leak: { verdict, stacks } }) =>
    verdict === 'leak' ? stacks : [],
  );
  if (kept.length > 0) return { low: 0, high: kept.reduce((sum, { bytes }) => sum + bytes, 0) };
  if (shelf?.leakedBytes == null || shelf.uncertaintyBytes === null) return null;
  const { leakedBytes: bytes, uncertaintyBytes: about } = shelf;
  return { low: Math.round(Math.max(0, bytes - about)), high: Math.round(bytes + about) };
}

/** What a heap names, with who holds it. */
const IN_HEAPS: ReadonlySet<LeakKind> = new Set(['python-objects', 'js-objects', 'js-buffers']);

/** What is not known of a leak that is shown. */
function addDoubts({ kind, evidence, trend }: ReportFacts['leak'], words: VerdictBuilder): void {
  const first = evidence.findIndex(({ count }) => count !== null);
  const kept = kind === 'tensors' || kind === 'python-objects';
  if (kept && first >= 0 && !evidence.some(({ holder }) => holder !== null)) {
    words.against(`/leak/evidence/${first}/holder`, null, 'who holds them was not found');
  }
  if (trend?.verdict === 'leak' && (kind === 'unknown' || IN_HEAPS.has(kind!))) {
    const what = 'a cache that is still filling looks the same, as far as it was seen';
    words.against('/leak/trend/values', 'count', what);
  }
}

function addNext(kind: LeakKind | null, words: VerdictBuilder): void {
  if (kind === 'unknown' || IN_HEAPS.has(kind!)) {
    const why = 'three heaps on the way: which objects grow, and who holds them';
    words.next(why, 'record', '--heap', '3', '--', '{command}');
  } else {
    const why = 'after a change: whether it still leaks (exit 0: no, 3: yes, 4: cannot be told)';
    words.next(why, 'check', '--no-leak', '--', '{command}');
  }
}
