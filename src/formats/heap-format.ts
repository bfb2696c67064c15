import type { Redactor } from '../base/redaction/index.ts';
import type { HeapGraph } from '../model/heap/graph.ts';

/** A kind of file that holds the objects of a process; `heaps.ts` is the list. */
export interface HeapFormat {
  readonly id: string;
  readonly title: string;
  /** Endings of file names, with the dot. */
  readonly extensions: readonly string[];
  /** Whether a file with this beginning (4 KiB at most) is one. */
  sniff(head: Uint8Array): boolean;
  /** Throws FormatError, with the place, for what it cannot read. */
  read(input: HeapInput, options?: HeapReadOptions): Promise<HeapGraph> | HeapGraph;
  /** The same file with other names and texts; every figure stays, and who refers to whom. Throws as `read` does. */
  redact(input: HeapInput, redactor: Redactor): AsyncIterable<Uint8Array>;
}

/** A heap's file, wherever it is. */
export interface HeapInput {
  /** For messages. */
  readonly name: string;
  /** How large it is, where that is known for sure. */
  readonly size: number | null;
  /** When the file was last changed, in milliseconds since 1970. */
  readonly modified?: number;
  /** Pieces in order, each of use only until the next is asked for. */
  stream(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Part of it, for texts that are decoded when asked for; absent: the reader keeps their bytes. */
  readAt?(offset: number, length: number): Uint8Array;
  /** The checksum of zip, by the machine's own code; absent: the reader computes it. */
  crc32?(bytes: Uint8Array): number;
}

export interface HeapReadOptions {
  /** Share of the file that was read, now and then: for long work. */
  onProgress?(share: number): void;
}
