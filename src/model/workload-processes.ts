import { agentMemory } from './agent-memory.ts';
import type { Recording } from './recording.ts';
import { Table } from './table.ts';

/** Columns of which what the agent holds is a part; it is memory of its own process, shared with nobody. */
const WITH_AGENT: ReadonlySet<string> = new Set(['rss', 'anon', 'hwm', 'pss']);

const known = new WeakMap<Table, Table>();

/**
 * The table `process` as everybody should read it who asks what the workload held: without what our agent holds in
 * its processes. (Processes of ours, and what V8 keeps for heaps that we took, never came into that table.)
 */
export function workloadProcesses(recording: Recording): Table {
  const table = recording.table('process');
  let found = known.get(table);
  if (!found) {
    found = withoutAgent(recording, table);
    known.set(table, found);
  }
  return found;
}

function withoutAgent(recording: Recording, table: Table): Table {
  const held = agentMemory(recording);
  if (!held || table.rows === 0) return table;
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const own = Float64Array.from(times, (ns, row) => held(pids[row]!, ns));
  const columns = table.spec.columns.map((spec) => {
    const column = table.column(spec);
    if (!WITH_AGENT.has(spec.name)) return column;
    return (column as Float64Array).map((bytes, row) =>
      bytes > own[row]! ? bytes - own[row]! : bytes,
    );
  });
  return new Table(table.spec, [{ rows: table.rows, columns }]);
}
