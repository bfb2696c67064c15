import { greatestIndex, leastIndex } from 'd3-array';
import { SECOND_NS } from '../../base/time.ts';
import { RecordingBuilder } from '../builder.ts';
import { firstMark } from '../origin.ts';
import { ranksOf } from '../ranks.ts';
import type { Recording } from '../recording.ts';
import { inOrderOfTime, TABLES, type TableName } from '../schema.ts';
import { hostNumbering } from './host-numbering.ts';
import { jobRun, ranksWords } from './job-run.ts';
import type { JobPart } from './one-job.ts';
import { PartRows } from './part-rows.ts';
import { onOneGrid } from './process-grid.ts';

/**
 * Tables that are put together row by row, in the order of time. Samples of processes need all recorders
 * at once; each rank's control group is its own, and their sum would hold shared pages twice.
 */
const OF_GROUPS: ReadonlySet<string> = new Set(['cgroup', 'device_group']);
const IN_ORDER = (Object.keys(TABLES) as (keyof typeof TABLES)[]).filter(
  (name) => inOrderOfTime(TABLES[name]) && name !== 'process' && !OF_GROUPS.has(name),
);

/** The recordings of one job's ranks or nodes as one recording, on one clock. */
export function mergeJob(
  name: string,
  parts: readonly JobPart[],
  warnings: readonly string[] = [],
): Recording {
  const numbering = hostNumbering(parts);
  const starts = parts.map(({ recording }) => startOf(recording));
  const start = Math.min(...starts);
  const offsets = starts.map((ns) => ns - start);
  const builder = new RecordingBuilder({ ...jobRun(name, parts), id: name, name });
  const { run } = builder;
  run.gpus = [...numbering.cards];
  run.snapshots = snapshotsOf(parts, offsets, numbering.pid);
  const said = parts.flatMap(({ recording }, i) =>
    (recording.run.outOfMemory ?? []).map((one) => ({ ...one, ns: one.ns + offsets[i]! })),
  );
  if (said.length > 0) run.outOfMemory = said.sort((a, b) => a.ns - b.ns);
  if (numbering.hosts.length > 1) {
    run.host = { ...run.host, name: `${numbering.hosts.length} hosts`, memoryBytes: null };
    run.warnings.push(
      'several hosts: their clocks are taken to agree; figures of whole hosts are left out',
    );
  }
  run.warnings.push(...warnings);
  const lead = parts[0]!;
  run.rootPid =
    lead.recording.run.rootPid === null ? null : numbering.pid(lead, lead.recording.run.rootPid);
  const rows = parts.map((part, i) => new PartRows(part, offsets[i]!, builder, numbering));

  for (const [i, part] of parts.entries()) addProcesses(builder, rows[i]!, part);
  for (const table of IN_ORDER) {
    const taken = rowsTaken(table, parts, offsets, numbering.reportsCards);
    for (const { part, row } of byTime(parts, offsets, table, taken)) {
      builder.table(table).push(rows[part]!.cells(table, row));
    }
  }
  const hz = Math.max(...parts.map(({ recording }) => recording.run.sampling.askedHz), 1);
  const sampled = parts.map(({ recording }, i) => ({
    table: recording.table('process'),
    offset: offsets[i]!,
  }));
  for (const { time, part, row } of onOneGrid(sampled, SECOND_NS / hz)) {
    const [, ...cells] = rows[part]!.cells('process', row);
    builder.table('process').push([time, ...cells]);
  }
  if (numbering.hosts.length === 1) addHost(builder, parts, offsets);
  return builder.build();
}

/** The recording's start on the wall, in ns. */
function startOf(recording: Recording): number {
  const clock = recording.table('clock');
  return clock.rows > 0
    ? clock.f64('wall')[0]! - clock.f64('monotonic')[0]!
    : Date.parse(recording.run.startedAt) * 1e6;
}

/** All of them are the main one of their own recording: in a job a role begins with the rank. */
function addProcesses(builder: RecordingBuilder, rows: PartRows, part: JobPart): void {
  const { recording, ranks } = part;
  const table = recording.table('processes');
  const rankOf = ranksOf(recording);
  const [pids, roles] = [table.u32('pid'), table.u32('role')];
  const columns = TABLES.processes.columns.map(({ name }) => name as string);
  const [roleAt, rankAt] = [columns.indexOf('role'), columns.indexOf('rank')];
  for (let row = 0; row < table.rows; row++) {
    const cells = rows.cells('processes', row);
    const rank = rankOf.get(pids[row]!) ?? (ranks.length === 1 ? ranks[0]! : null);
    const role = recording.text(roles[row]!);
    const rankName = rank === null || role.startsWith('rank') ? '' : `rank ${rank}`;
    const own = role === 'main' && rankName ? '' : role;
    cells[roleAt] = builder.intern([rankName, own].filter(Boolean).join(' ') || ranksWords(part));
    cells[rankAt] = rank;
    builder.table('processes').push(cells);
  }
}

/**
 * Every rank counts the same iterations: the first one's are the job's. It starts with the first rank and
 * ends with the last. Cards are seen alike by all recorders of a host.
 */
function rowsTaken(
  name: TableName,
  parts: readonly JobPart[],
  offsets: readonly number[],
  reportsCards: (part: JobPart) => boolean,
): ((row: number) => boolean)[] {
  if (name === 'gpu' || name === 'gpu_process')
    return parts.map((part) => () => reportsCards(part));
  if (name !== 'marks') return parts.map(() => () => true);
  const at = (kind: string) =>
    parts.map(({ recording }, i) => (firstMark(recording, kind) ?? Number.NaN) + offsets[i]!);
  const [starts, ends] = [at('start'), at('end')];
  const first = leastIndex(starts) ?? 0;
  const last = greatestIndex(ends) ?? 0;
  const owner: Record<string, number> = { start: first, end: last, iteration: 0, epoch: 0 };
  return parts.map(({ recording }, i) => {
    const kinds = recording.table('marks').u32('kind');
    return (row) => (owner[recording.text(kinds[row]!)] ?? i) === i;
  });
}

/** Rows of all parts in the order of time; in columns, as a table of a long run has millions. */
function* byTime(
  parts: readonly JobPart[],
  offsets: readonly number[],
  name: TableName,
  taken: readonly ((row: number) => boolean)[],
): Generator<{ readonly part: number; readonly row: number }> {
  const columns = parts.map(({ recording }) => recording.table(name).f64('time'));
  const most = columns.reduce((sum, { length }) => sum + length, 0);
  const [times, part, row] = [new Float64Array(most), new Uint32Array(most), new Uint32Array(most)];
  let count = 0;
  for (const [of, own] of columns.entries()) {
    for (let at = 0; at < own.length; at++) {
      if (!taken[of]!(at)) continue;
      times[count] = own[at]! + offsets[of]!;
      part[count] = of;
      row[count++] = at;
    }
  }
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  order.sort((a, b) => times[a]! - times[b]! || a - b);
  for (const at of order) yield { part: part[at]!, row: row[at]! };
}

/** All recorders of a host saw the same: the one with most samples is taken. */
function addHost(
  builder: RecordingBuilder,
  parts: readonly JobPart[],
  offsets: readonly number[],
): void {
  const tables = parts.map(({ recording }) => recording.table('host'));
  const at = tables.reduce((best, table, i) => (table.rows > tables[best]!.rows ? i : best), 0);
  const table = tables[at]!;
  if (table.rows === 0) return;
  const target = builder.table(
    'host',
    table.spec.columns.map(({ name }) => name),
  );
  const columns = target.spec.columns.map(({ name }) => table.f64(name));
  columns[0] = columns[0]!.map((time) => time + offsets[at]!);
  target.append(columns, 0, table.rows);
}

function snapshotsOf(
  parts: readonly JobPart[],
  offsets: readonly number[],
  pid: (part: JobPart, pid: number) => number,
) {
  return parts.flatMap((part, i) =>
    (part.recording.run.snapshots ?? []).map((one) => ({
      ...one,
      ns: one.ns + offsets[i]!,
      pid: pid(part, one.pid),
      rank: one.rank ?? (part.ranks.length === 1 ? part.ranks[0]! : null),
    })),
  );
}
