import { SECOND_NS } from '../../src/base/time.ts';
import { createFolder, saveRecording } from '../../src/model/disk/save.ts';
import { makeRecording, type Recording } from '../../src/model/recording.ts';
import type { RunInfo } from '../../src/model/run.ts';
import type { TableName } from '../../src/model/schema.ts';
import { Table } from '../../src/model/table.ts';

/** What is to be another than it was recorded on, as a smaller machine. */
export type Change = (table: TableName, column: string, values: Float64Array) => Float64Array;

/**
 * A real recording with its clock slowed, so that its seconds last hours: alarms look at hours, tests have seconds. All values, and their
 * order, are as they were recorded. `hours` is how long it then lasts; it ends at `endMs`.
 */
export function saveSlowed(
  recording: Recording,
  folder: string,
  hours: number,
  endMs: number,
  run: Partial<RunInfo> = {},
  change: Change = (_, __, values) => values,
): void {
  const end = endOf(recording);
  const factor = (hours * 3600 * SECOND_NS) / end;
  const startedMs = endMs - hours * 3.6e6;
  const slowed = (name: TableName): Table => {
    const table = recording.table(name);
    const columns = table.spec.columns.map((spec) => {
      const column = table.column(spec);
      if (spec.unit === 'ns') return (column as Float64Array).map((ns) => ns * factor);
      if (spec.unit !== 'unix-ns') {
        return column instanceof Float64Array ? change(name, spec.name, column) : column;
      }
      return table.f64('monotonic').map((ns) => startedMs * 1e6 + ns * factor);
    });
    return new Table(table.spec, [{ rows: table.rows, columns }]);
  };
  const startedAt = new Date(startedMs).toISOString();
  const info = { ...recording.run, startedAt, endedAt: new Date(endMs).toISOString(), ...run };
  createFolder(folder, false);
  saveRecording(makeRecording(info, recording.tables, slowed), folder);
}

const endOf = (recording: Recording): number =>
  Math.max(
    ...(['host', 'process', 'gpu'] as const).map(
      (name) => recording.table(name).f64('time').at(-1) ?? 0,
    ),
  );
