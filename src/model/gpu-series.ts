import type { Recording } from './recording.ts';
import type { Series } from './series.ts';
import type { Table } from './table.ts';

/**
 * Series of GPUs: as many as the recording has cards. `gpu0.used` is the whole card as nvidia-smi
 * shows it, `gpu0.tree` what the recorded processes hold on it, where the driver tells.
 */
const NAME = /^gpu(\d+)\.(used|tree)$/;

export function gpuSeriesNames(recording: Recording): string[] {
  const used = cards(recording.table('gpu')).map((gpu) => `gpu${gpu}.used`);
  // Process ids of another view of the machine never match ours: their sum would be a false zero.
  if (recording.run.gpu?.processIds === 'foreign') return used;
  const tree = cards(recording.table('gpu_process')).map((gpu) => `gpu${gpu}.tree`);
  return [...used, ...tree];
}

/** The series of that name; null when it is no name of a GPU's series. */
export function gpuSeries(recording: Recording, name: string): Series | null {
  const match = NAME.exec(name);
  if (!match) return null;
  const gpu = Number(match[1]);
  if (match[2] === 'used') return usedOn(recording.table('gpu'), gpu);
  const members = new Set(recording.table('processes').u32('pid'));
  return heldOn(recording.table('gpu_process'), gpu, name, (pid) => members.has(pid));
}

/** For the fold, which sees one table: the extremes of each card, and of each process on it. */
export function gpuSeriesOfTable(name: 'gpu' | 'gpu_process', table: Table): Series[] {
  if (name === 'gpu') return cards(table).map((gpu) => usedOn(table, gpu));
  const pids = [...new Set(table.u32('pid'))];
  return cards(table).flatMap((gpu) => [
    heldOn(table, gpu, `gpu${gpu}.processes`, () => true),
    ...pids.map((pid) => heldOn(table, gpu, `gpu${gpu}.pid${pid}`, (one) => one === pid)),
  ]);
}

const cards = (table: Table) => [...new Set(table.u32('gpu'))].sort((a, b) => a - b);

function usedOn(table: Table, gpu: number): Series {
  const [times, cardOf, used] = [table.f64('time'), table.u32('gpu'), table.f64('used')];
  const rows = rowsWhere(table.rows, (row) => cardOf[row] === gpu && !Number.isNaN(used[row]!));
  return { name: `gpu${gpu}.used`, times: pick(times, rows), values: pick(used, rows) };
}

/**
 * Σ over the processes of one sample. A sample in which the card had none of them is a zero; one in
 * which the driver gave no list of the card, or no figure of one of them, is not measured.
 */
function heldOn(table: Table, gpu: number, name: string, counts: (pid: number) => boolean): Series {
  const [times, cardOf] = [table.f64('time'), table.u32('gpu')];
  const [pids, used] = [table.u32('pid'), table.f64('used')];
  const at: number[] = [];
  const sums: number[] = [];
  for (let row = 0; row < table.rows; row++) {
    const time = times[row]!;
    if (at.at(-1) !== time) {
      at.push(time);
      sums.push(0);
    }
    const noList = pids[row] === 0 && Number.isNaN(used[row]!);
    if (cardOf[row] === gpu && (noList || counts(pids[row]!))) sums[sums.length - 1]! += used[row]!;
  }
  const known = rowsWhere(at.length, (sample) => !Number.isNaN(sums[sample]!));
  return { name, times: pick(at, known), values: pick(sums, known) };
}

function rowsWhere(rows: number, wanted: (row: number) => boolean): Uint32Array {
  const found = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (wanted(row)) found[count++] = row;
  return found.subarray(0, count);
}

const pick = (values: ArrayLike<number>, rows: Uint32Array) =>
  Float64Array.from(rows, (row) => values[row]!);
