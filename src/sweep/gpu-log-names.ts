import type { PlannedRun } from './plan.ts';

/** As the reader of such logs takes a variant's name from its file. */
const plain = (text: string) => text.replace(/[^\w.+-]+/g, '-').replace(/^[.-]+/, '') || 'run';

/**
 * `memory_fft.txt`: what each run's log of the cards is called, by its recording. Values say enough, unless
 * two variants would then have one name.
 */
export function gpuLogNames(runs: readonly PlannedRun[]): ReadonlyMap<string, string> {
  const short = runs.map(({ combination, repeat }) => {
    const values = plain(Object.values(combination).join('_'));
    return `memory_${values}${repeat > 1 ? `_${repeat}` : ''}.txt`;
  });
  const isUnique = new Set(short.map((name) => name.toLowerCase())).size === runs.length;
  const name = (recording: string, i: number) =>
    isUnique ? short[i]! : `memory_${recording.replace(/\.hw$/, '')}.txt`;
  return new Map(runs.map(({ recording }, i) => [recording, name(recording, i)]));
}
