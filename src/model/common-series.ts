import type { Recording } from './recording.ts';
import { type Series, series, seriesNames } from './series.ts';

/** A GPU that never rises by this much was not used: a context alone takes ten times as much. */
const USED_BYTES = 8 * 1024 ** 2;

/** Where no GPU was used: what a tree holds, an upper bound of it, the whole machine. */
const HOST_SIDE = ['tree.pss', 'tree.rss', 'host.used'];

/**
 * The series in which runs are held against each other, one for each recording: the same for all
 * where all have it, else the best of each; null where a recording has none at all.
 */
function commonSeries(recordings: readonly Recording[]): (Series | null)[] {
  const found = recordings.map((recording) => ({ names: seriesNames(recording), recording }));
  const measured = found.filter(({ names }) => names.length > 0);
  const inAll = (name: string) => measured.every(({ names }) => names.includes(name));
  const rises = new Map(
    measured.map(({ recording, names }) => [recording, risesOf(recording, names)]),
  );
  const card = highest([...rises.values()].flatMap((one) => [...one]));
  const shared = card && measured.every(({ names }) => names.some(isCard)) ? card : undefined;
  const other =
    HOST_SIDE.find(inAll) ?? measured[0]?.names.find((name) => isCard(name) && inAll(name));
  return found.map(({ recording, names }) => {
    const name = shared ? ownCard(shared, rises.get(recording), names) : (other ?? ownBest(names));
    return name === undefined ? null : series(recording, name);
  });
}

/** The series asked for, else the common one; null for recordings without. */
export function chosenSeries(
  recordings: readonly Recording[],
  asked: string | undefined,
): (Series | null)[] {
  if (asked === undefined) return commonSeries(recordings);
  return recordings.map((recording) => series(recording, asked));
}

const isCard = (name: string) => /^gpu\d+\.used$/.test(name);

/** How far each card rose above its first sample; only cards that the recorded tree was on, where that is known. */
function risesOf(recording: Recording, names: readonly string[]): Map<string, number> {
  const cards = names.filter(isCard);
  const own = cards.filter((name) => peakOf(series(recording, name.replace('used', 'tree'))) > 0);
  const rises = (own.length > 0 ? own : cards).map((name): [string, number] => {
    const one = series(recording, name)!;
    return [name, peakOf(one) - one.values[0]!];
  });
  return new Map(rises);
}

const peakOf = (one: Series | null) => one?.values.reduce((most, v) => Math.max(most, v), 0) ?? 0;

function highest(rises: readonly (readonly [string, number])[]): string | undefined {
  const [top] = rises.filter(([, rise]) => rise >= USED_BYTES).sort((a, b) => b[1] - a[1]);
  return top?.[0];
}

/** Another card than the others' only where the run left the common one nearly alone. */
function ownCard(shared: string, rises: Map<string, number> | undefined, names: readonly string[]) {
  const own = highest([...(rises ?? [])]);
  const there = names.includes(shared);
  if (own && (!there || (rises!.get(shared) ?? 0) < rises!.get(own)! / 2)) return own;
  return there ? shared : names.find(isCard);
}

const ownBest = (names: readonly string[]) =>
  HOST_SIDE.find((name) => names.includes(name)) ?? names.find(isCard) ?? names[0];
