import { formatBytes, GiB, KiB, MiB } from '../../base/bytes.ts';

export interface AxisTick {
  readonly value: number;
  readonly label: string;
}

export interface Axis {
  readonly unit: string;
  readonly major: readonly AxisTick[];
  readonly minor: readonly number[];
}

export interface Domain {
  readonly low: number;
  readonly high: number;
}

/** Steps that read well: 1, 2, 5 in KiB and MiB; halves and doublings in GiB, as memory is sold. */
const BYTE_STEPS: readonly { unit: string; size: number; steps: readonly number[] }[] = [
  { unit: 'B', size: 1, steps: [1, 2, 5, 10, 20, 50, 100, 200, 500] },
  { unit: 'KiB', size: KiB, steps: [1, 2, 5, 10, 20, 50, 100, 200] },
  { unit: 'MiB', size: MiB, steps: [0.5, 1, 2, 5, 10, 20, 50, 100, 200] },
  {
    unit: 'GiB',
    size: GiB,
    steps: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096],
  },
];

/** Round numbers of a binary unit; the unit follows the step, so that labels stay short. */
export function byteAxis({ low, high }: Domain, most: number): Axis {
  const wanted = (high - low) / most;
  for (const { unit, size, steps } of BYTE_STEPS) {
    const step = steps.find((candidate) => candidate * size >= wanted);
    if (step === undefined) continue;
    const digits = Number.isInteger(step) ? 0 : step === 0.25 ? 2 : 1;
    return { unit, major: byteTicks({ low, high }, step, size, digits), minor: [] };
  }
  return { unit: 'B', major: [{ value: low, label: String(low) }], minor: [] };
}

/** Always in MiB, however large: for a chart whose words are in MiB, as nvidia-smi's are. */
export function mebibyteAxis(domain: Domain, most: number): Axis {
  const wanted = Math.max((domain.high - domain.low) / most / MiB, 1e-6);
  const decade = Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((n) => n * 10 ** decade).find((n) => n >= wanted * (1 - 1e-9))!;
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return { unit: 'MiB', major: byteTicks(domain, step, MiB, digits), minor: [] };
}

/** Percent of one core: from zero up. */
export function percentAxis({ low, high }: Domain, most: number): Axis {
  const wanted = (high - low) / most;
  const decade = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((n) => n * decade).find((n) => n >= wanted * (1 - 1e-9))!;
  const major = multiples(low, high, step).map((value) => ({
    value,
    label: grouped(String(value)),
  }));
  return { unit: '%', major, minor: [] };
}

function byteTicks({ low, high }: Domain, step: number, size: number, digits: number): AxisTick[] {
  return multiples(low, high, step * size).map((value) => ({
    value,
    label: value === 0 ? '0' : grouped((value / size).toFixed(digits)),
  }));
}

interface TimeUnit {
  readonly name: string;
  readonly seconds: number;
  /** Up to this span (in seconds) the unit reads well. */
  readonly upTo: number;
  /** Distances of labels and, with each, of the fine lines between, both in seconds. */
  readonly steps: readonly (readonly [number, number])[];
}

const HOUR = 3600;
const DAY = 86_400;
const TIME_UNITS: readonly TimeUnit[] = [
  {
    name: 'Seconds',
    seconds: 1,
    upTo: 600,
    steps: [
      [0.001, 0.001],
      [0.01, 0.002],
      [0.05, 0.01],
      [0.1, 0.02],
      [0.2, 0.1],
      [0.5, 0.1],
      [1, 0.5],
      [2, 1],
      [5, 1],
      [10, 1],
      [20, 5],
      [50, 10],
      [100, 20],
    ],
  },
  {
    name: 'Minutes',
    seconds: 60,
    upTo: 3 * HOUR,
    steps: [
      [60, 30],
      [120, 60],
      [300, 60],
      [600, 120],
      [1200, 300],
      [1800, 600],
    ],
  },
  {
    name: 'Hours',
    seconds: HOUR,
    upTo: 4 * DAY,
    steps: [
      [0.5 * HOUR, 0.25 * HOUR],
      [HOUR, 0.5 * HOUR],
      [2 * HOUR, HOUR],
      [4 * HOUR, HOUR],
      [6 * HOUR, HOUR],
      [12 * HOUR, 3 * HOUR],
    ],
  },
  {
    name: 'Days',
    seconds: DAY,
    upTo: Number.POSITIVE_INFINITY,
    steps: [
      [DAY, DAY / 4],
      [2 * DAY, DAY],
      [5 * DAY, DAY],
      [10 * DAY, 5 * DAY],
      [50 * DAY, 10 * DAY],
      [200 * DAY, 50 * DAY],
    ],
  },
];

/** Time in the unit that keeps numbers small; minor lines each second wherever they fit. */
export function timeAxis({ low, high }: Domain, most: number): Axis {
  const span = high - low;
  const unit = TIME_UNITS.find((candidate) => span <= candidate.upTo)!;
  const [step, fine] =
    unit.steps.find(([candidate]) => candidate >= span / most) ?? unit.steps.at(-1)!;
  const perUnit = step / unit.seconds;
  const digits = perUnit >= 1 ? 0 : Math.min(3, Math.ceil(-Math.log10(perUnit) - 1e-9));
  const major = multiples(low, high, step).map((value) => ({
    value,
    label: value === 0 ? '0' : minus(grouped((value / unit.seconds).toFixed(digits))),
  }));
  const seconds = step > 1 && span <= 62 ? 1 : fine;
  const minor = multiples(low, high, seconds).filter(
    (value) => !major.some((tick) => Math.abs(tick.value - value) < seconds / 10),
  );
  return { unit: unit.name, major, minor };
}

/** All multiples of a step within a domain; counted, not added up, so that errors stay small. */
export function multiples(low: number, high: number, step: number): number[] {
  const found: number[] = [];
  const last = Math.floor(high / step + 1e-9);
  for (let n = Math.ceil(low / step - 1e-9); n <= last && found.length < 1000; n++) {
    found.push(n === 0 ? 0 : n * step);
  }
  return found;
}

/** A value in an axis's own unit, so that a label and the ticks beside it can be compared. */
export function formatIn(unit: string, bytes: number): string {
  const usual = formatBytes(bytes);
  const size = BYTE_STEPS.find((candidate) => candidate.unit === unit)?.size;
  const finer = size !== undefined && size < GiB && bytes >= 999.5 * size;
  return finer ? `${grouped((bytes / size).toFixed(1))} ${unit}` : usual;
}

/** Thousands apart, as `2,450`. */
function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
}

const minus = (text: string) => text.replace('-', '−');
