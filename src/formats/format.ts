import type { MomentChoice } from '../model/allocations/live.ts';
import type { DeviceTrace } from '../model/allocations/trace.ts';
import type { HeldPaths } from '../model/heap/held-path.ts';
import type { Recording } from '../model/recording.ts';
import type { RunInfo } from '../model/run.ts';
import type { TableName } from '../model/schema.ts';
import type { Input } from './input.ts';

/**
 * A kind of file that other tools read or write. To add one, copy json.ts, and name it in index.ts:
 * the conformance suite and the fuzzer take it from there.
 */
export interface Format {
  /** What `export --to` calls it: `csv`. */
  readonly id: string;
  readonly title: string;
  /** Endings of file names, with the dot; they decide only where no content does. */
  readonly extensions: readonly string[];
  /** The table that `write` takes when none is named; absent when it writes whole recordings. */
  readonly defaultTable?: string;
  /** The one table that `write` is made of, where none other can be chosen. */
  readonly only?: TableName;
  /** Shows one moment of an allocation trace, which `--at` chooses. */
  readonly moment?: true;
  /** What a file with one recording's samples is called by those who use this format. */
  fileName?(run: RunInfo): string;
  /** What the reader of a written file must be told, as the file itself cannot. */
  writeNote?(recording: Recording, options?: WriteOptions): string;
  /** True when `read` can leave out all events but those of `hints.events`. */
  readonly takesEvents?: boolean;
  /** True when the bytes are not text, and would spoil a terminal. */
  readonly binary?: boolean;
  /** Whether a file with this beginning (4 KiB at most) is one; looks, never parses it all. */
  sniff(head: Uint8Array): boolean;
  /** Throws FormatError, with the place, for what it cannot read; repairs are said in warnings. */
  read?(input: Input): Promise<Recording> | Recording;
  write?(recording: Recording, options?: WriteOptions): Iterable<string | Uint8Array>;
  /** The same of a heap's objects, where a format can show who holds them. */
  writeHeap?(held: HeldPaths): Iterable<string | Uint8Array>;
}

export interface WriteOptions {
  /** One of the format's tables; `defaultTable` when absent. */
  readonly table?: string;
  /** When, for formats that show one moment of an allocation trace; its peak when absent. */
  readonly at?: MomentChoice;
  /** What allocations (rows of a trace's lifetimes) are taken for, where a format can show that. */
  readonly categoryOf?: (trace: DeviceTrace) => (row: number) => string;
}

/** How much of a file `sniff` sees. */
export const HEAD_BYTES = 4096;
