import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../src/base/stats.ts';
import { type Pairs, pairedRatio } from './paired.ts';
import { recordCommand, runCommand, samplingOf } from './recorders.ts';

const PRINTS = fileURLToPath(new URL('prints.py', import.meta.url));
const DRAIN = fileURLToPath(new URL('drain.py', import.meta.url));
/** A million a minute is 16,667; a little more, so that it is no less where the machine is slower for a moment. */
const LINES_PER_SECOND = 17_500;
/** Three tenths of a second: long enough for thirty samples, short enough that neighbours seldom change within a pair. */
const BLOCK = 5000;

type Place = 'pipe' | 'terminal';
type Kind = 'iterations' | 'ordinary';
/** See prints.py. */
type How = 'recorded' | 'same' | 'more';

/** Of pairs of blocks, recorded and bare: seconds for a thousand lines. */
export interface Blocks {
  readonly cpu: Pairs;
  readonly wall: Pairs;
  readonly switches: readonly [number, number];
  readonly active: number;
}

/** How many processes, at least and at most, and pairs of blocks in each. */
interface Effort {
  readonly least: number;
  readonly most: number;
  readonly pairs: number;
  /** Beyond the least, there are more of them for as long as this lies within the interval. */
  readonly limit: number;
}

/** What prints.py tells. */
interface Told extends Blocks {
  readonly stolen: readonly number[];
}

/** Of a pair's six tenths of a second, what the machine's host may have taken without making it worthless. */
const STOLEN_SECONDS = 0.02;

export interface Found extends Blocks {
  /** Pairs that were left out, as the machine's host had no time for it meanwhile. */
  readonly leftOut: number;
  /** The recorder's CPU seconds in each second that it was not stopped. */
  readonly own: number;
}

/** Processes, one after the other, until the limit is kept or broken for sure: each has another layout in memory. */
export async function blocks(
  folder: string,
  place: Place,
  kind: Kind,
  how: How,
  { least, most, pairs, limit }: Effort,
): Promise<Found> {
  const found: Told[] = [];
  const own: number[] = [];
  const all = (of: 'cpu' | 'wall') =>
    found.flatMap((one) => one[of].filter((_, pair) => one.stolen[pair]! <= STOLEN_SECONDS));
  const isDecided = () =>
    [all('cpu'), all('wall')]
      .map(pairedRatio)
      .every(({ low, high }) => high <= limit || low > limit);
  while (found.length < least || (found.length < most && !isDecided())) {
    const one = await measure(folder, place, kind, how, pairs);
    found.push(one);
    if (how === 'recorded') own.push(recorderCpu(folder) / one.active);
  }
  const switches = [0, 1].map((side) => median(found.map((one) => one.switches[side]!)));
  return {
    leftOut: found.length * pairs - all('cpu').length,
    cpu: all('cpu'),
    wall: all('wall'),
    switches: switches as [number, number],
    active: found.reduce((sum, { active }) => sum + active, 0),
    own: median(own),
  };
}

const recordingIn = (folder: string) => join(folder, 'run.hw');
const recorderCpu = (folder: string) =>
  samplingOf(recordingIn(folder)).recorderCpuSeconds ?? Number.NaN;

async function measure(
  folder: string,
  place: Place,
  kind: Kind,
  how: How,
  pairs: number,
): Promise<Told> {
  const result = join(folder, 'result.json');
  const words = [PRINTS, pairs, BLOCK, LINES_PER_SECOND, kind, how, result].map(String);
  const workload = ['python3', ...words];
  const command =
    how === 'recorded' ? recordCommand(recordingIn(folder), 100, workload, '--force') : workload;
  const code = await runCommand(['python3', DRAIN, place, ...command]);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
  return JSON.parse(readFileSync(result, 'utf8')) as Told;
}
