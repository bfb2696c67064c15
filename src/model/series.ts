import { counterSeries, counterSeriesNames } from './counter-series.ts';
import { gpuSeries, gpuSeriesNames, gpuSeriesOfTable } from './gpu-series.ts';
import type { Recording } from './recording.ts';
import type { TableName } from './schema.ts';
import type { Table } from './table.ts';

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
  spec('tree.rss', 'process', (process, name) => sumByTime(process, name, 'rss')),
  spec('tree.pss', 'process', (process, name) => sumByTime(process, name, 'pss')),
  spec('tree.swap', 'process', (process, name) => sumByTime(process, name, 'swap')),
  spec('cgroup.current', 'cgroup', (cgroup, name) => perRow(cgroup, name, cgroup.f64('current'))),
];

/** Names of all series that this recording has values for. */
export function seriesNames(recording: Recording): string[] {
  const names = [
    ...SERIES.map((s) => s.name),
    ...gpuSeriesNames(recording),
    ...counterSeriesNames(recording),
  ];
  return names.filter((name) => series(recording, name) !== null);
}

/** The series of that name, or null where the recording has no values for it. */
export function series(recording: Recording, name: string): Series | null {
  const found = SERIES.find((s) => s.name === name);
  const derived = found
    ? found.derive(recording.table(found.table))
    : (gpuSeries(recording, name) ?? counterSeries(recording, name));
  return derived && derived.values.length > 0 ? derived : null;
}

/** All series that a table carries. */
export function seriesOfTable(name: TableName, table: Table): Series[] {
  if (name === 'gpu' || name === 'gpu_process') return gpuSeriesOfTable(name, table);
  return SERIES.filter((s) => s.table === name).map((s) => s.derive(table));
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

/** Memory that somebody holds on purpose. Steady to 0.1 MiB where MemAvailable drifts by tens. */
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
function sumByTime(table: Table, name: string, columnName: string): Series {
  const times = table.f64('time');
  const values = table.f64(columnName);
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
  const keep = Uint32Array.from(values.keys()).filter((row) => !Number.isNaN(values[row]!));
  return {
    name: series.name,
    times: Float64Array.from(keep, (row) => times[row]!),
    values: Float64Array.from(keep, (row) => values[row]!),
  };
}
