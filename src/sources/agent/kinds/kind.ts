import type { TableSpec } from '../../../model/schema.ts';
import type { MessageFields, Wrong } from './fields.ts';

/**
 * One kind of message that agents send, listed in `index.ts`. The types of messages are the wire's and
 * know none of our internal ones, on purpose; what is made of a message is said here as well.
 */
export interface MessageKind<Message extends { readonly type: string }> {
  readonly type: Message['type'];
  readonly limits?: MessageLimits;
  /** A message, or why it is none. Agents are other people's processes: nothing is trusted. */
  parse(fields: MessageFields): Message | Wrong;
}

/** A kind whose messages become rows of a table. */
export interface RowKind<Message extends { readonly type: string }> extends MessageKind<Message> {
  readonly limits: MessageLimits;
  readonly table: TableSpec;
  rows(received: Received<Message>, intern: (text: string) => number): readonly RowCells[];
}

/** A row of a table: texts are interned. */
export type RowCells = readonly (number | null)[];

export interface MessageLimits {
  /** Rows of one message; further ones are refused. */
  readonly perMessage: number;
  /** Rows that a recorder keeps, of all processes together. */
  readonly perRecording: number | ShareOfDisk;
}

/** As many rows as fit into a share of `--max-disk`. */
export interface ShareOfDisk {
  readonly shareOfDisk: number;
  /** Of a row on disk, its part of a batch included. */
  readonly rowBytes: number;
}

/** A message, who sent it, and when on the recording's own clock. */
export interface Received<Message> {
  readonly message: Message;
  /** ns since the recording's start. */
  readonly time: number;
  readonly pid: number;
  readonly rank: number | null;
}

/** A message of what a process measured in itself. */
export interface MeasuredMessage {
  /** CLOCK_MONOTONIC of the machine, nanoseconds. */
  readonly time: number;
  /** Rows or values that could not be read, if there are any. */
  readonly refused?: number;
}
