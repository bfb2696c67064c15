import { FormatError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { ImportHints, Input } from '../input.ts';
import { readRows, type SmiLog, type SmiLogRow } from './rows.ts';
import { rowTimes } from './times.ts';

export function readNvidiaSmi(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `nvidia-smi:${input.name}`, name: input.name });
  const log = readRows(input);
  const used = log.rows.map(({ amounts }) => usedOf(amounts));
  checkUsed(input, log, used, builder);
  for (const warning of log.warnings) builder.warn(warning);
  const { gpuOf, warning } = assignGpus(log, input.hints);
  if (warning) builder.warn(warning);
  const times = rowTimes(input, log.rows, gpuOf, builder.run);
  const table = builder.table('gpu');
  const totals = new Map<number, number>();
  for (const [i, { amounts }] of log.rows.entries()) {
    const { reserved, free, total } = amounts;
    const gpu = gpuOf[i]!;
    table.push([times[i]!, gpu, used[i]!, reserved, free, total]);
    totals.set(gpu, Math.max(totals.get(gpu) ?? 0, total || 0));
  }
  const cards = new Map([...log.cards].map(([, card], i) => [card.index ?? i, card]));
  builder.run.gpus = [...totals.keys()]
    .sort((a, b) => a - b)
    .map((index) => ({
      index,
      uuid: cards.get(index)?.uuid ?? '',
      name: cards.get(index)?.name ?? '',
      memoryBytes: totals.get(index)!,
    }));
  return builder.build();
}

/** As nvidia-smi computes it, where it was not asked for it itself. */
function usedOf({ used, total, free, reserved }: SmiLogRow['amounts']): number {
  return Number.isNaN(used) ? total - free - (reserved || 0) : used;
}

function checkUsed(input: Input, log: SmiLog, used: readonly number[], builder: RecordingBuilder) {
  const missing = used.filter(Number.isNaN).length;
  if (missing === used.length) {
    throw new FormatError(`${input.name} has no figure of memory in use`, {
      hint: 'log it with --query-gpu=timestamp,index,memory.used',
    });
  }
  if (missing > 0) {
    builder.warn(`${count(missing, 'row')} of ${used.length} had no figure (N/A or an error)`);
  }
  const derived = log.rows.find(
    ({ amounts }, i) => Number.isNaN(amounts.used) && !Number.isNaN(used[i]!),
  );
  if (derived) {
    const with_ = Number.isNaN(derived.amounts.reserved)
      ? ', what the driver reserves included'
      : '';
    builder.warn(`memory in use is total less free${with_}`);
  }
}

/** Which GPU each row is of, as an index from 0, and how that is known. */
interface Assignment {
  readonly gpuOf: Uint32Array;
  readonly warning: string | null;
}

/** The machine's count is not the log's: `-i 0` asks for one of many. */
const one = (count: number) =>
  `no field tells GPUs apart: taken as one GPU${count > 1 ? ` of the machine's ${count}` : ''} (--gpus says otherwise)`;

/** By the log's own fields; else by what is told, or seen in its times; else all are one. */
function assignGpus({ rows, cards, count }: SmiLog, hints: ImportHints): Assignment {
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
function sameTime(rows: readonly SmiLogRow[]): number {
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
function suspicion(rows: readonly SmiLogRow[]): string | null {
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
