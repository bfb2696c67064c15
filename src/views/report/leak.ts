import type { Culprit } from '../../analyses/leak/culprit.ts';
import type { Shelf, ShelfLevels } from '../../analyses/leak/shelf-levels.ts';
import type { Trend } from '../../analyses/leak/trend.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { boundWords, rateWords, timeUnit } from '../../model/rate-words.ts';
import { kindFacts, kindWords } from './leak-kind.ts';
import type { Fact, Tile } from './section.ts';

/** The verdict in one sentence, for the line under the answer. */
export function leakSentence({ leak }: Report): string {
  const { verdict, trend, shelf, culprit } = leak;
  switch (verdict) {
    case 'leak': {
      const grows =
        trend?.verdict === 'leak'
          ? [`${rateWords(trend)} ${who(culprit)}${leak.running ? ' so far' : ''}`]
          : [];
      const stays = shelf?.verdict === 'leak' ? [`${amount(shelf)} left behind${kind(leak)}`] : [];
      const full =
        leak.running && trend?.exhaustionSeconds != null ? [`full in ${fullText(trend)}`] : [];
      const shown = [...grows, ...stays, ...full];
      // Neither the host's trend nor what it left behind: the steps of a device's trace.
      if (shown.length === 0) shown.push(`${leak.because} ${who(culprit)}`);
      return printable(`Leak: ${shown.join('; ')}.`);
    }
    case 'plateau':
    case 'bounded':
      return printable(`No leak: ${leak.because}${atMost(leak)}${behind(shelf)}.`);
    case 'inconclusive':
      return printable(
        `Leak or not: cannot be told${leak.running ? ' yet' : ''}, as ${leak.because}${atMost(leak)}${behind(shelf)}.`,
      );
  }
}

const atMost = ({ bound }: Report['leak']) => (bound ? `; at most ${boundWords(bound)}` : '');

function behind(shelf: Shelf | null): string {
  return shelf?.verdict === 'bounded' ? `; nothing left behind (${amount(shelf)})` : '';
}

/** What files tell is known to the byte. */
const amount = ({ leakedBytes, uncertaintyBytes }: ShelfLevels) =>
  formatDelta(leakedBytes ?? Number.NaN) +
  (uncertaintyBytes === 0 ? '' : ` ± ${formatBytes(uncertaintyBytes ?? Number.NaN)}`);

/** What most of it is, and its name where that is known. */
function kind({ shelf, kind: cause, culprit }: Report['leak']): string {
  const { remains, leakedBytes } = shelf!;
  if (!remains || leakedBytes === null) return '';
  if (remains.shmemBytes > leakedBytes / 2) {
    const files = cause === 'shared-memory' && culprit?.name?.startsWith('/');
    return files ? ` in ${culprit!.name}` : ' in shared memory (/dev/shm, tmpfs)';
  }
  if (cause === 'surviving-process' && culprit?.process)
    return ` in ${culprit.process}, which lives on`;
  if (remains.anonBytes > leakedBytes / 2) return ' in processes that live on';
  return remains.kernelBytes > leakedBytes / 2 ? " in the kernel's own memory" : '';
}

/** `in worker 2, pid 4711, of 8 workers (PSS; RSS flat)`. */
function who(culprit: Culprit | null): string {
  if (!culprit) return '';
  const { measure, other, series } = culprit;
  if (measure === 'device') return `on the device (${series})`;
  if (measure === 'shm') return `in /dev/shm (${series})`;
  if (measure === 'held') return 'on the whole machine (host.held)';
  if (measure === 'cgroup-held') return `in ${whom(culprit)} (cgroup.held)`;
  if (measure === 'tree-held') return `in ${whom(culprit)} (${series})`;
  const along =
    other === null ? '' : other.grows ? ` and ${other.measure}` : `; ${other.measure} flat`;
  return `in ${whom(culprit)} (${measure}${along})`;
}

/** One process is named with what it is one of. */
function whom({ process, role, members }: Culprit): string {
  if (process === null) return role ?? 'the process tree';
  const several = members !== null && members > 1;
  const beside = several && process.includes('(pid ') ? `, of ${members} ${role}s` : '';
  return `${process.replaceAll(/ \((pid \d+)\)/g, ', $1')}${beside}`;
}

/** What the verdict rests on, as name and value. */
export function leakFacts({ leak }: Report): Fact[] {
  const { shelf, trend } = leak;
  const facts: Fact[] = [];
  facts.push(...kindFacts({ leak }));
  if (trend && trend.verdict !== 'inconclusive') facts.push(['trend', trendText(trend)]);
  if (leak.bound) facts.push(['at most', boundText(leak)]);
  if (trend?.exhaustionSeconds != null) facts.push(['until full', fullText(trend)]);
  if (shelf && shelf.leakedBytes !== null) {
    facts.push([shelf.steady ? 'left behind' : 'shelves, unsteady', shelfText(shelf)]);
    if (shelf.verdict === 'leak' && shelf.by === 'machine') {
      facts.push([
        'caveat',
        "this is the whole machine's memory: others may have had a part in it",
      ]);
    }
  }
  const files = leak.trends.find(({ role, rule }) => role === null && rule === 'mapped files');
  if (files) facts.push(['mapped files', `${rateWords(files)}: ${FILES}`]);
  if (trend?.verdict === 'leak') facts.push(...others(leak.trends, trend));
  return facts.map(([name, text]) => [name, printable(text)]);
}

/** Not each of them need be marked, or sampled. */
function iterationWords({ iterations, values }: Trend): string {
  const all = count(Math.round(iterations ?? values), 'iteration');
  return iterations !== null && iterations > 1.5 * values ? `${all}, ${values} of them seen` : all;
}

const FILES = 'no leak, as the kernel takes these pages back when it needs them';

function trendText(trend: Trend): string {
  const iterations = trend.over === 'iterations';
  const { factor, unit } = iterations ? { factor: 1, unit: 'iteration' } : timeUnit(trend);
  const [low, high] = [trend.slope.low, trend.slope.high].map((b) => formatDelta(b * factor));
  const values = iterations ? iterationWords(trend) : count(trend.values, 'value');
  return (
    `${trend.series} ${formatDelta(trend.slope.bytes * factor)}/${unit} ` +
    `(95 %: ${low} to ${high}; ${values}), rule: ${trend.rule}${rhythmWords(trend)}`
  );
}

function rhythmWords({ rhythm, over }: Trend): string {
  if (rhythm === null) return '';
  const turn = over === 'iterations' ? count(rhythm, 'iteration') : formatDuration(rhythm);
  return `; what comes and goes every ${turn} is left out`;
}

function boundText({ bound, verdict }: Report['leak']): string {
  const { series, longer } = bound!;
  const more = `; record ${longer.times} × as long to tell ${boundWords(longer)}`;
  return `${series} ${boundWords(bound!)}${verdict === 'inconclusive' ? more : ''}`;
}

const PLACES = {
  machine: 'the machine',
  card: 'the card',
  'cgroup limit': "the control group's limit",
} as const;

function fullText({ exhaustionSeconds, exhausts }: Trend): string {
  const place = exhausts === null ? '' : PLACES[exhausts];
  return `${formatDuration(exhaustionSeconds ?? Number.NaN)} at this rate (${place})`;
}

function shelfText(shelf: Shelf): string {
  const { used } = shelf;
  if (shelf.by !== 'machine') return `${shelf.series} ${amount(shelf)}: ${shelf.because}`;
  const levels = `${formatBytes(shelf.beforeBytes!)} before, ${formatBytes(shelf.afterBytes!)} after`;
  const beside =
    used && used.leakedBytes !== null
      ? `; ${used.series} ${amount(used)}${used.steady ? '' : ', unsteady'}`
      : '';
  return `${shelf.series} ${amount(shelf)} (${levels}${beside})`;
}

/** The roles besides, where a leak has to be found among several. */
function others(all: readonly Trend[], headline: Trend): Fact[] {
  return all
    .filter(({ role, measure }) => role !== null && measure === headline.measure)
    .map((trend) => [
      `${trend.role}${trend.members! > 1 ? ` ×${trend.members}` : ''}`,
      `${trend.series} ${formatDelta(trend.growthBytes)} in all: ${trend.verdict}`,
    ]);
}

/** How fast, what, and who holds it: what most people want to know of a leak. */
function culpritWords(report: Report): string | null {
  const { verdict, kind, trend } = report.leak;
  if (verdict !== 'leak' || kind === null || kind === 'unknown') return null;
  const rate = trend?.verdict === 'leak' ? `${rateWords(trend)}; ` : '';
  return `${rate}${kindWords(report)}`;
}

/** With less than this to go, one would want to do something now. */
const SOON_SECONDS = 3600;

/** What is known of growth while it runs: whether that is a leak is told at its end. */
export interface GrowthSoFar {
  readonly rate: string;
  readonly detail: string;
  /** When memory is full at this rate; null where nothing says that it grows. */
  readonly full: { readonly value: string; readonly detail: string } | null;
  readonly soon: boolean;
}

export function growthSoFar(leak: Report['leak']): GrowthSoFar {
  const { verdict, trend, because, culprit } = leak;
  if (verdict === 'leak' && trend?.verdict === 'leak') {
    const { exhaustionSeconds: seconds, exhausts } = trend;
    const place = exhausts === null ? '' : ` of ${PLACES[exhausts]}`;
    return {
      rate: rateWords(trend),
      detail: printable(`${who(culprit)}, so far`.replace(/^, /, '')),
      full:
        seconds === null
          ? null
          : { value: formatDuration(seconds), detail: `at this rate, by the room${place}` },
      soon: seconds !== null && seconds < SOON_SECONDS,
    };
  }
  const known = verdict === 'plateau' || verdict === 'bounded';
  const rate = known ? 'none so far' : verdict === 'leak' ? 'it grows' : 'not known yet';
  return { rate, detail: printable(`${because}${atMost(leak)}`), full: null, soon: false };
}

/** The verdict for the page; while it runs, how it grows. */
export function leakTile(report: Report, live = false): Tile {
  if (live) {
    const { rate, detail, full, soon } = growthSoFar(report.leak);
    const until = full ? `; full in ${full.value} ${full.detail}` : '';
    return {
      title: 'Growth',
      value: rate,
      detail: `${detail}${until}`,
      tone: soon ? 'bad' : 'plain',
      opens: 'leak',
    };
  }
  const sentence = leakSentence(report);
  const [, detail = sentence] =
    /^[^:]*: (?:cannot be told(?: yet)?, as )?(.*)$/s.exec(sentence) ?? [];
  const { verdict } = report.leak;
  const value = {
    leak: 'Leaks',
    plateau: 'No leak',
    bounded: 'No leak',
    inconclusive: 'Cannot tell',
  };
  const tone = verdict === 'leak' ? 'bad' : verdict === 'inconclusive' ? 'plain' : 'good';
  return {
    title: 'Leak',
    value: value[verdict],
    detail: culpritWords(report) ?? detail,
    tone,
    opens: 'leak',
  };
}
