import { formatBytes } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import { count } from '../../../base/text.ts';
import { prepareFolder, writeRun } from '../../../store/parquet/folder.ts';
import { show, tell } from '../../output/terminal.ts';
import { eachRun } from '../store/each-run.ts';

/** Recordings as a folder of Parquet files, for DuckDB, pyarrow, Spark, Trino, ClickHouse … */
export async function exportParquet(inputs: readonly string[], folder: string | undefined) {
  if (folder === undefined || folder === '-') {
    throw new UserError('parquet is a folder of files, one for each table', {
      hint: 'name it with -o FOLDER; many recordings go into one',
    });
  }
  const sums = { rows: 0, bytes: 0 };
  let ready = false;
  const { stored, skipped } = await eachRun(inputs, 'Writing', (run) => {
    // Not before something can be read: a wrong name leaves no folder behind.
    if (!ready) prepareFolder(folder);
    ready = true;
    const { rows, bytes } = writeRun(folder, run);
    sums.rows += rows;
    sums.bytes += bytes;
  });
  show(`${folder}\n`);
  const size = `${sums.rows} rows in ${formatBytes(sums.bytes)}`;
  tell(`${count(stored, 'run')}, ${size}; to ask it: cd ${folder} && duckdb -init views.sql\n`);
  return skipped > 0 ? 1 : 0;
}
