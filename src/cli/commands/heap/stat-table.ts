import { HEAP_SCHEMA, type HeapTable, pageEnd } from '../../../analyses/heap/index.ts';
import type { HeapStat } from '../../../model/heap/stat.ts';

/** A loaded `.stat` as the table it was made of. */
export function statTable(stat: HeapStat, all = false): HeapTable {
  const end = all ? stat.rows.length : pageEnd(0, stat.rows.length);
  let cumulative = 0;
  const rows = stat.rows.slice(0, end).map((row, index) => {
    cumulative += row.size;
    return { ...row, index, cumulative, retained: null };
  });
  const { header, kindName, count, size } = stat;
  return {
    type: 'heap-partition',
    schemaVersion: HEAP_SCHEMA,
    by: 'kind',
    header,
    kindName,
    count,
    size,
    numRows: stat.rows.length,
    rows,
  };
}
