import { smallestGrowthThatCounts } from '../../../src/analyses/leak/trend-evidence.ts';
import { MiB } from '../../../src/base/bytes.ts';
import type { Random } from '../../support/random.ts';

/** A series whose truth is known. */
export interface Drawn {
  readonly values: Float64Array;
  /** What it gains by leaking, over all of it; 0 for a series that does not leak. */
  readonly growth: number;
  /** Standard deviation of everything in it that is not the leak … */
  readonly noise: number;
  /** … and that of the long run: autocorrelated noise wanders as if there were fewer values. */
  readonly longRun: number;
}

export interface Kind {
  readonly name: string;
  /** `large`: at least five standard deviations and above the floor; `small`: less than either. */
  readonly truth: 'none' | 'large' | 'small';
  draw(random: Random): Drawn;
}

export const LENGTHS = [60, 100, 200, 500, 1000, 2000, 5000];

interface Setting {
  readonly random: Random;
  readonly n: number;
  readonly level: number;
  /** Standard deviation of the noise. */
  readonly sigma: number;
}

/** Lengths and levels from a script of 50 MiB to a server of 8 GiB, with noise of 0.05 % to 2 %. */
function setting(random: Random): Setting {
  const level = random.logBetween(50, 8192) * MiB;
  return { random, n: random.pick(LENGTHS), level, sigma: level * random.logBetween(5e-4, 0.02) };
}

/** By how much the average of many values wanders more than that of independent ones would. */
export const longRunFactor = (phi: number) => Math.sqrt((1 + phi) / (1 - phi));

/** AR(1) noise: each value keeps the share `phi` of the one before. */
export function ar(
  { random, n, sigma }: Pick<Setting, 'random' | 'n' | 'sigma'>,
  phi: number,
): Float64Array {
  const values = new Float64Array(n);
  let state = random.normal();
  const fresh = Math.sqrt(1 - phi * phi);
  for (let i = 0; i < n; i++) {
    values[i] = sigma * state;
    state = phi * state + fresh * random.normal();
  }
  return values;
}

/** Climbs and falls back as a garbage collector makes it; from 0 to `height`. */
function sawtooth({ random, n }: Setting, height: number): Float64Array {
  const period = random.between(4, Math.max(5, n / 20));
  const offset = random.uniform();
  return Float64Array.from({ length: n }, (_, i) => height * ((i / period + offset) % 1));
}

/** The same again with every turn, as epochs and days are; `unlike`: by how much one turn differs from another. */
function rhythm({ random, n }: Setting, height: number, unlike: number): Float64Array {
  const turns = random.between(4, Math.max(5, Math.min(25, n / 10)));
  const period = Math.max(6, Math.round(n / turns));
  const parts = [1, 2, 3].map((times) => ({
    times,
    size: random.uniform() / times,
    at: random.uniform(),
  }));
  const all = parts.reduce((sum, { size }) => sum + size, 0);
  const sizes = Array.from({ length: Math.ceil(n / period) }, () => 1 + unlike * random.normal());
  return Float64Array.from({ length: n }, (_, i) => {
    const wave = parts.reduce(
      (sum, { times, size, at }) =>
        sum + (size / all) * (1 + Math.sin(2 * Math.PI * (times * (i / period) + at))),
      0,
    );
    return (height / 2) * wave * sizes[Math.floor(i / period)]!;
  });
}

const sawHeight = ({ random, level }: Setting) => level * random.between(0.02, 0.4);
const phase = (i: number, n: number) => i / (n - 1);
const anyPhi = (random: Random) => random.pick([0.5, 0.9, 0.98]);

function sum(base: number, ...parts: readonly ArrayLike<number>[]): Float64Array {
  return Float64Array.from(parts[0]!, (_, i) => parts.reduce((all, part) => all + part[i]!, base));
}

/** A shape over phase 0…1 times an amount. */
const shaped = (n: number, amount: number, shape: (at: number) => number) =>
  Float64Array.from({ length: n }, (_, i) => amount * shape(phase(i, n)));

function none(name: string, draw: (s: Setting) => Float64Array): Kind {
  return {
    name,
    truth: 'none',
    draw: (random) => ({ values: draw(setting(random)), growth: 0, noise: 0, longRun: 0 }),
  };
}

/** The rise of a program that loads, fills caches and then stays: settled to 98 % by the end. */
function warmUp({ random, level, n }: Setting): Float64Array {
  const tau = random.between(0.02, 0.25);
  return shaped(n, level * random.between(0.1, 1), (at) => 1 - Math.exp(-at / tau));
}

/** An allocator that never gives back: the running maximum of what was asked for. */
function ratchet(asked: Float64Array): Float64Array {
  let most = Number.NEGATIVE_INFINITY;
  return asked.map((value) => {
    most = Math.max(most, value);
    return most;
  });
}

function step({ random, level, n }: Setting): Float64Array {
  const at = random.between(0.05, 0.95);
  return shaped(n, level * random.between(0.02, 1), (now) => (now < at ? 0 : 1));
}

const HARMLESS: readonly Kind[] = [
  ...[0.5, 0.9, 0.98].map((phi) => none(`AR noise, φ = ${phi}`, (s) => sum(s.level, ar(s, phi)))),
  none('warm-up curve', (s) => sum(s.level, ar(s, anyPhi(s.random)), warmUp(s))),
  none('allocator ratchet', (s) => sum(s.level, ratchet(ar(s, anyPhi(s.random))))),
  none('saw-tooth', (s) => sum(s.level, ar(s, 0.5), sawtooth(s, sawHeight(s)))),
  none('plateau after a step', (s) => sum(s.level, ar(s, anyPhi(s.random)), step(s))),
  none('mixture', (s) =>
    sum(s.level, ar(s, 0.9), warmUp(s), sawtooth(s, sawHeight(s)), ratchet(ar(s, 0.5))),
  ),
  none('rhythm', (s) => sum(s.level, ar(s, anyPhi(s.random)), rhythm(s, sawHeight(s), 0))),
  none('uneven rhythm', (s) => sum(s.level, ar(s, 0.5), rhythm(s, sawHeight(s), 0.2))),
];

type Shape = (random: Random, n: number) => (at: number) => number;

const linear: Shape = () => (at) => at;
/** Equal steps, at least twelve in all. */
const stairs: Shape = (random) => {
  const steps = Math.round(random.between(12, 30));
  return (at) => Math.floor(at * steps) / steps;
};
/** The same by count of iterations: every k-th leaks. */
const everyK: Shape = (random, n) => {
  const k = Math.max(2, Math.round(random.between(2, n / 15)));
  const most = Math.floor((n - 1) / k);
  return (at) => Math.floor((at * (n - 1)) / k) / most;
};
const accelerating: Shape = (random) => {
  const power = random.between(1.3, 2.2);
  return (at) => at ** power;
};

type Noise = (s: Setting) => { parts: Float64Array; sd: number; longRun: number };
const arNoise =
  (given: number | null): Noise =>
  (s) => {
    const phi = given ?? anyPhi(s.random);
    return { parts: ar(s, phi), sd: s.sigma, longRun: s.sigma * longRunFactor(phi) };
  };
/** The saw-tooth is noise too: evenly spread over its height. */
const sawNoise: Noise = (s) => {
  const height = sawHeight(s);
  const parts = sum(0, ar(s, 0.5), sawtooth(s, height));
  const teeth = height / Math.sqrt(12);
  return {
    parts,
    sd: Math.hypot(s.sigma, teeth),
    longRun: Math.hypot(s.sigma * longRunFactor(0.5), teeth),
  };
};

/** To those who know the rhythm it is no noise; how even it is, nobody knows before. */
const rhythmNoise: Noise = (s) => {
  const height = sawHeight(s);
  const parts = sum(0, ar(s, 0.5), rhythm(s, height, s.random.pick([0, 0.05])));
  const wave = height / Math.sqrt(12);
  return {
    parts,
    sd: Math.hypot(s.sigma, wave),
    longRun: Math.hypot(s.sigma * longRunFactor(0.5), wave),
  };
};

function leaking(name: string, truth: 'large' | 'small', shape: Shape, noise: Noise): Kind {
  return {
    name,
    truth,
    draw(random) {
      const s = setting(random);
      const { parts, sd, longRun } = noise(s);
      const floor = smallestGrowthThatCounts(s.n, s.level);
      const growth =
        truth === 'large'
          ? Math.max(5 * sd, floor) * random.logBetween(1, 10)
          : small(random, sd, floor);
      const values = sum(s.level, parts, shaped(s.n, growth, shape(random, s.n)));
      return { values, growth, noise: sd, longRun };
    },
  };
}

/** Below the floor, or below what the noise lets see; an eighth of the floor is next to nothing. */
function small(random: Random, sd: number, floor: number): number {
  const amount =
    random.uniform() < 0.5 ? sd * random.between(1, 5) : floor * random.between(0.3, 1);
  return Math.max(amount, floor / 8);
}

const SHAPES: readonly (readonly [string, Shape, Noise])[] = [
  ['linear, φ = 0.5', linear, arNoise(0.5)],
  ['linear, φ = 0.9', linear, arNoise(0.9)],
  ['linear, φ = 0.98', linear, arNoise(0.98)],
  ['stair-steps', stairs, arNoise(null)],
  ['every k-th iteration', everyK, arNoise(null)],
  ['accelerating', accelerating, arNoise(null)],
  ['within a saw-tooth', linear, sawNoise],
  ['within a rhythm', linear, rhythmNoise],
];

export const KINDS: readonly Kind[] = [
  ...HARMLESS,
  ...SHAPES.map(([name, shape, noise]) => leaking(`leak: ${name}`, 'large', shape, noise)),
  ...SHAPES.map(([name, shape, noise]) => leaking(`small leak: ${name}`, 'small', shape, noise)),
];
