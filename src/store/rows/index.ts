import { batchesOf, type StoreBatches, type StoreRow } from '../batch.ts';
import { type StoreTable, type StoreTableName, storeTable } from '../schema.ts';
import type { StoredRun } from '../stored-run.ts';
import { categoryRows, stackRows } from './allocations.ts';
import { layerRows } from './layers.ts';
import { markRows } from './marks.ts';
import { cardRows, peakRows, rankRows } from './peaks.ts';
import { labelRows, runRow } from './runs.ts';
import { seriesBatches } from './series.ts';
import { verdictRow } from './verdicts.ts';

/** Rows of each table without `run` and `started`, which all have. */
const ROWS: Readonly<
  Record<Exclude<StoreTableName, 'series'>, (run: StoredRun) => Iterable<StoreRow>>
> = {
  runs: (run) => [runRow(run)],
  peaks: peakRows,
  cards: cardRows,
  ranks: rankRows,
  labels: labelRows,
  marks: markRows,
  layers: layerRows,
  peak_stacks: stackRows,
  peak_categories: categoryRows,
  verdicts: (run) => [verdictRow(run)],
};

/** What a run has for a table, a bounded number of rows at a time. */
export function rowsOf(run: StoredRun, table: StoreTable): StoreBatches {
  if (table.name === 'series') return seriesBatches(run);
  return batchesOf(storeTable(table.name), withRun(run, ROWS[table.name](run)));
}

function* withRun(run: StoredRun, rows: Iterable<StoreRow>): Generator<StoreRow> {
  for (const row of rows) yield { run: run.id, started: run.startedUs, ...row };
}
