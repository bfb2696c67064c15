import type { ImportHints } from '../input.ts';
import type { Log, Row } from './rows.ts';

/** Which GPU each row is of, as an index from 0, and how that is known. */
export interface Assignment {
  readonly gpuOf: Uint32Array;
  readonly warning: string | null;
}

/** The machine's count is not the log's: `-i 0` asks for one of many. */
const one = (count: number) =>
  `no field tells GPUs apart: taken as one GPU${count > 1 ? ` of the machine's ${count}` : ''} (--gpus says otherwise)`;

/** By the log's own fields; else by what is told, or seen in its times; else all are one. */
export function assignGpus({ rows, cards, count }: Log, hints: ImportHints): Assignment {
  if (!cards.has('')) {
    const numbers = numbered([...cards].map(([key, card]) => ({ key, index: card.index })));
    return { gpuOf: Uint32Array.from(rows, (row) => numbers.get(row.key)!), warning: null };
  }
  const inTurn = (n: number) => Uint32Array.from(rows.keys(), (row) => row % n);
  if (hints.gpus !== undefined) return { gpuOf: inTurn(hints.gpus), warning: null };
  const together = sameTime(rows);
  if (together > 1) {
    const warning = `${together} rows at a time have the same time: taken as ${together} GPUs in turn`;
    return { gpuOf: inTurn(together), warning };
  }
  return { gpuOf: new Uint32Array(rows.length), warning: suspicion(rows) ?? one(count) };
}

/** The driver's own index where the log has it; else in the order of appearance. */
function numbered(keys: readonly { key: string; index: number | null }[]): Map<string, number> {
  return new Map(keys.map(({ key, index }, i) => [key, index ?? i]));
}

/** How many rows share each time; 1 unless it is the same number throughout. */
function sameTime(rows: readonly Row[]): number {
  if (rows.length < 2 || rows[0]!.stamp === '') return 1;
  let size = 1;
  while (size < rows.length && rows[size]!.stamp === rows[0]!.stamp) size++;
  const regular = rows.every((row, i) => {
    const first = i - (i % size);
    const joined = row.stamp === rows[first]!.stamp;
    return joined && (i % size !== 0 || i === 0 || row.stamp !== rows[i - 1]!.stamp);
  });
  return regular && rows.length > size ? size : 1;
}

/** Up to so many GPUs are looked for in the rhythm of the figures. */
const MOST = 16;
const FEWEST_ROWS = 12;

/** Rows that jump from one to the next, but hardly from one to the n-th next, look like n GPUs. */
function suspicion(rows: readonly Row[]): string | null {
  const values = rows.map((row) => row.amounts.used).filter((value) => !Number.isNaN(value));
  if (values.length < FEWEST_ROWS) return null;
  const travel = (lag: number) => {
    let sum = 0;
    for (let i = lag; i < values.length; i++) sum += Math.abs(values[i]! - values[i - lag]!);
    return sum;
  };
  const step = travel(1);
  for (let lag = 2; lag <= Math.min(MOST, values.length / 4); lag++) {
    if (step > 0 && travel(lag) < step / 10) {
      return `its figures jump to and fro as if ${lag} GPUs wrote in turn: if so, say --gpus ${lag}`;
    }
  }
  return null;
}
