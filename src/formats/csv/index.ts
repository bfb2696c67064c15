import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import { headText } from '../input.ts';
import { writeEvents } from './events.ts';
import { readCsv, recogniseHeader } from './read.ts';
import { parseRecord } from './records.ts';
import { writeMemUsed, writeTable } from './write.ts';

/**
 * RFC 4180 tables. `seconds,mem_used` is the Caffe leak test's table: MiB, zero at the workload's
 * start. `events` are allocation events in words, never read back. All other tables are a recording's
 * own, by their columns' names; docs/recording-format.md.
 */
export const csv: Format = {
  id: 'csv',
  title: 'comma-separated values',
  extensions: ['.csv'],
  defaultTable: 'mem_used',
  sniff(head) {
    const cells = parseRecord(headText(head).split(/\r?\n/, 1)[0]!);
    return cells !== null && recogniseHeader(cells) !== null;
  },
  read: readCsv,
  write(recording: Recording, options = {}) {
    const table = options.table ?? 'mem_used';
    if (table === 'mem_used') return writeMemUsed(recording);
    return table === 'events' ? writeEvents(recording) : writeTable(recording, table);
  },
};
