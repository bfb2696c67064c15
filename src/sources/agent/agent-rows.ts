import { TABLES } from '../../model/schema.ts';
import type { Sink } from '../source.ts';
import { type RowMessage, rowKindOf } from './kinds/index.ts';
import type { Received } from './kinds/kind.ts';
import { type Mark, markRow } from './kinds/mark.ts';

/** Adds what an agent said to the table of its kind; live and from files. */
export function addAgentRows(sink: Sink, received: Received<RowMessage>): void {
  const kind = rowKindOf(received.message);
  const table = sink.table(kind.table);
  for (const row of kind.rows(received, (text) => sink.intern(text))) table.push(row);
}

/** Marks come from lines of output and from the recorder itself too. */
export function addMark(sink: Sink, mark: Mark): void {
  sink.table(TABLES.marks).push(markRow(mark, (text) => sink.intern(text)));
}
