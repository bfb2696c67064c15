import { lastSeen } from './agent-memory.ts';
import { heldByGroup, heldByProcess } from './held-memory.ts';
import type { Recording } from './recording.ts';
import type { TableName } from './schema.ts';
import type { Table } from './table.ts';
import { workloadProcesses } from './workload-processes.ts';

/** One quantity over time. Times are ns since the recording's start, ascending; values bytes. */
export interface Series {
  readonly name: string;
  readonly times: Float64Array;
  readonly values: Float64Array;
}

interface SeriesSpec {
  readonly name: string;
  readonly table: TableName;
  readonly derive: (table: Table) => Series;
}

/**
 * The series that analyses, gates and pages name. Each is derived here and nowhere else, so that
 * a report, a chart and a limit can never disagree on what "used" means. The fold of an overlong
 * recording keeps the extremes of exactly these.
 */
const SERIES: readonly SeriesSpec[] = [
  spec('host.used', 'host', (host, name) => perRow(host, name, hostUsed(host))),
  spec('host.held', 'host', (host, name) => perRow(host, name, hostHeld(host))),
  spec('tree.rss', 'process', (process, name) => sumByTime(process, name, process.f64('rss'))),
  spec('tree.pss', 'process', (process, name) => sumByTime(process, name, process.f64('pss'))),
  spec('tree.swap', 'process', (process, name) => sumByTime(process, name, process.f64('swap'))),
  spec('cgroup.current', 'cgroup', (cgroup, name) => perRow(cgroup, name, cgroup.f64('current'))),
];

/** What leaks are judged by: drawn and asked for by name, but listed among no peaks, as they are parts of the others. */
const HELD: readonly SeriesSpec[] = [
  spec('tree.held', 'process', (process, name) => sumByTime(process, name, heldByProcess(process))),
  spec('tree.file', 'process', (process, name) => sumByTime(process, name, process.f64('file'))),
  spec('cgroup.held', 'cgroup', (cgroup, name) => perRow(cgroup, name, heldByGroup(cgroup))),
];

/** Names of all series that this recording has values for. */
export function seriesNames(recording: Recording): string[] {
  const names = [
    ...SERIES.map((s) => s.name),
    ...gpuSeriesNames(recording),
    ...regions(recording.table('device_group')).map((id) => `dmem.${recording.text(id)}`),
    ...counterSeriesNames(recording),
  ];
  return names.filter((name) => series(recording, name) !== null);
}

/** The series of that name, or null where the recording has no values for it. */
export function series(recording: Recording, name: string): Series | null {
  const found = [...SERIES, ...HELD].find((s) => s.name === name);
  const derived = found
    ? found.derive(tableOf(recording, found.table))
    : (gpuSeries(recording, name) ??
      deviceGroupSeries(recording, name) ??
      counterSeries(recording, name));
  return derived && derived.values.length > 0 ? derived : null;
}

/** Names of all series of a table that belong to no card: those listed among peaks, and those that leaks are judged by. */
export const fixedSeriesOf = (name: TableName): string[] =>
  [...SERIES, ...HELD].filter((s) => s.table === name).map((s) => s.name);

const tableOf = (recording: Recording, name: TableName) =>
  name === 'process' ? workloadProcesses(recording) : recording.table(name);

/** All series that a table carries. */
export function seriesOfTable(name: TableName, table: Table): Series[] {
  if (name === 'gpu' || name === 'gpu_process') return gpuSeriesOfTable(name, table);
  if (name === 'device_group') {
    return regions(table).flatMap((id) => [
      chargedTo(table, id, 'current', `dmem.${id}`),
      chargedTo(table, id, 'peak', `dmem.${id}.peak`),
    ]);
  }
  return SERIES.filter((s) => s.table === name).map((s) => s.derive(table));
}

const regions = (table: Table) => [...new Set(table.u32('region'))].sort((a, b) => a - b);

/** `dmem.0000:03:00.0/vram0`: what the workload's control group is charged for of a card's memory. */
function deviceGroupSeries(recording: Recording, name: string): Series | null {
  const table = recording.table('device_group');
  const id = regions(table).find((one) => name === `dmem.${recording.text(one)}`);
  return id === undefined ? null : chargedTo(table, id, 'current', name);
}

function chargedTo(table: Table, region: number, column: string, name: string): Series {
  const [times, of, values] = [table.f64('time'), table.u32('region'), table.f64(column)];
  const rows = rowsWhere(table.rows, (row) => of[row] === region && !Number.isNaN(values[row]!));
  return { name, times: pick(times, rows), values: pick(values, rows) };
}

function spec(
  name: string,
  table: TableName,
  derive: (table: Table, name: string) => Series,
): SeriesSpec {
  return { name, table, derive: (rows) => derive(rows, name) };
}

/** Memory that cannot be given away at once: MemTotal − MemAvailable, or as an import defined it. */
export function hostUsed(host: Table): Float64Array {
  const stored = host.f64('used');
  const total = host.f64('MemTotal');
  const available = host.f64('MemAvailable');
  const free = host.f64('MemFree');
  const buffers = host.f64('Buffers');
  const cached = host.f64('Cached');
  return stored.map((used, row) => {
    if (!Number.isNaN(used)) return used;
    // Kernels before 3.14 have no MemAvailable; this is what `free` showed in those days.
    const give = Number.isNaN(available[row]!)
      ? free[row]! + buffers[row]! + cached[row]!
      : available[row]!;
    return total[row]! - give;
  });
}

/** Memory in use without caches that can be reclaimed. Steady to 0.1 MiB where MemAvailable drifts by tens. */
function hostHeld(host: Table): Float64Array {
  const anon = host.f64('AnonPages');
  const shmem = host.f64('Shmem');
  const slab = host.f64('SUnreclaim');
  const stacks = host.f64('KernelStack');
  const tables = host.f64('PageTables');
  return anon.map((value, i) => value + shmem[i]! + slab[i]! + stacks[i]! + tables[i]!);
}

function perRow(table: Table, name: string, values: Float64Array): Series {
  return dropNulls({ name, times: table.f64('time'), values });
}

/** Σ over the rows of one sample. A process that has no value in a sample adds nothing to it. */
function sumByTime(table: Table, name: string, values: Float64Array): Series {
  const times = table.f64('time');
  const sums = new Float64Array(times.length);
  const at = new Float64Array(times.length);
  let count = 0;
  for (let row = 0; row < times.length; ) {
    const time = times[row]!;
    let sum = Number.NaN;
    for (; row < times.length && times[row] === time; row++) {
      const value = values[row]!;
      if (!Number.isNaN(value)) sum = Number.isNaN(sum) ? value : sum + value;
    }
    at[count] = time;
    sums[count++] = sum;
  }
  return dropNulls({ name, times: at.subarray(0, count), values: sums.subarray(0, count) });
}

function dropNulls(series: Series): Series {
  const { values, times } = series;
  if (!values.some(Number.isNaN)) return series;
  const known = rowsWhere(values.length, (row) => !Number.isNaN(values[row]!));
  return { name: series.name, times: pick(times, known), values: pick(values, known) };
}

function rowsWhere(rows: number, wanted: (row: number) => boolean): Uint32Array {
  const found = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (wanted(row)) found[count++] = row;
  return found.subarray(0, count);
}

const pick = (values: ArrayLike<number>, rows: Uint32Array) =>
  Float64Array.from(rows, (row) => values[row]!);

/**
 * Series of GPUs: as many as the recording has cards. `gpu0.used` is the whole card as nvidia-smi
 * shows it, `gpu0.tree` what the recorded processes hold on it, where the driver tells.
 */
const GPU_SERIES = /^gpu(\d+)\.(used|tree)$/;

function gpuSeriesNames(recording: Recording): string[] {
  const used = cards(recording.table('gpu')).map((gpu) => `gpu${gpu}.used`);
  // Process ids of another view of the machine never match ours: their sum would be a false zero.
  if (recording.run.gpu?.processIds === 'foreign') return used;
  const tree = cards(recording.table('gpu_process')).map((gpu) => `gpu${gpu}.tree`);
  return [...used, ...tree];
}

/** The series of that name; null when it is no name of a GPU's series. */
function gpuSeries(recording: Recording, name: string): Series | null {
  const match = GPU_SERIES.exec(name);
  if (!match) return null;
  const gpu = Number(match[1]);
  if (match[2] === 'used') return usedOn(recording.table('gpu'), gpu);
  const members = new Set(recording.table('processes').u32('pid'));
  return heldOn(recording.table('gpu_process'), gpu, name, (pid) => members.has(pid));
}

/** For the fold, which sees one table: the extremes of each card, and of each process on it. */
function gpuSeriesOfTable(name: 'gpu' | 'gpu_process', table: Table): Series[] {
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

/**
 * Series of counters that processes read off themselves: `torch0.allocated` is what torch's allocator
 * has handed out on its device 0, `malloc.in_use` what malloc has. Σ over processes: each counts with
 * its last reading until it has ended. Counts, and peaks that a process keeps itself, are no series.
 */
const COUNTER_SERIES =
  /^(torch\d+\.(allocated|reserved|requested|active|unusable)|malloc\.(in_use|free)|pinned\.(allocated|reserved)|jax\.live|(jax|tf)\d+\.in_use)$/;

export function counterSeriesNames(recording: Recording): string[] {
  const ids = new Set(recording.table('counters').u32('name'));
  return [...ids].map((id) => recording.text(id)).filter((name) => COUNTER_SERIES.test(name));
}

/** The series of that name; null when it is no name of a counter's series. */
function counterSeries(recording: Recording, name: string): Series | null {
  if (!COUNTER_SERIES.test(name)) return null;
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const wanted = new Set([...new Set(names)].filter((id) => recording.text(id) === name));
  const ends = lastSeen(recording);
  const last = new Map<number, number>();
  const at: number[] = [];
  const sums: number[] = [];
  for (let row = 0; row < table.rows; row++) {
    if (!wanted.has(names[row]!)) continue;
    const time = times[row]!;
    for (const pid of last.keys()) if (ends.get(pid)! < time) last.delete(pid);
    last.set(pids[row]!, values[row]!);
    let sum = 0;
    for (const value of last.values()) sum += value;
    if (at.at(-1) === time) sums[sums.length - 1] = sum;
    else {
      at.push(time);
      sums.push(sum);
    }
  }
  return { name, times: Float64Array.from(at), values: Float64Array.from(sums) };
}
