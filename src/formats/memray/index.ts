import { redactArgv } from '../../base/secrets/index.ts';
import { isoTime } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import type { Format } from '../format.ts';
import { HeapProfileWriter } from '../heap-profile/writer.ts';
import type { Input } from '../input.ts';
import { Aggregated } from './aggregated.ts';
import { Bytes, Ended } from './bytes.ts';
import { Definitions } from './definitions.ts';
import { EveryAllocation } from './every.ts';
import { type Header, isMemray, readHeader } from './header.ts';
import { withoutLastZeros } from './last-zeros.ts';
import { isLz4, unpackedLz4 } from './lz4.ts';
import { Stacks } from './stacks.ts';

/** What `memray run` and `memray attach` write, packed or not, with every allocation or with sums (`--aggregate`). */
export const memray: Format = {
  id: 'memray',
  title: "memray's capture",
  extensions: [],
  binary: true,
  sniff: (head) => isMemray(head) || isLz4(head),
  read: readCapture,
};

/** Both kinds of captures end with a record of their own; what a killed program leaves behind are zeros. */
const END = { every: 1, aggregated: 15 };
const FILLER = 0;

async function readCapture(input: Input): Promise<Recording> {
  const capture = new Capture(input.name);
  for await (const piece of withoutLastZeros(unpackedLz4(input.stream(), input.name))) {
    capture.push(piece);
    if (capture.ended) break;
  }
  return capture.end();
}

type Records = EveryAllocation | Aggregated;

class Capture {
  ended = false;
  readonly #name: string;
  readonly #bytes: Bytes;
  #header: Header | null = null;
  #writer: HeapProfileWriter | null = null;
  #records: Records | null = null;
  #cut = false;

  constructor(name: string) {
    this.#name = name;
    this.#bytes = new Bytes(name);
  }

  push(piece: Uint8Array): void {
    this.#bytes.push(piece);
    try {
      this.#work();
    } catch (error) {
      // More than the longest record was there.
      throw error instanceof Ended ? this.#bytes.refusal('has a record that never ends') : error;
    }
  }

  end(): Recording {
    this.#bytes.end();
    try {
      this.#work();
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      this.#cut = true;
    }
    if (!this.#header || !this.#writer || !this.#records) {
      throw this.#bytes.refusal('ends before its first record');
    }
    // Sums are written at the program's end, in no order of time: a part of them is no answer.
    if (!this.ended && this.#header.aggregated) throw this.#bytes.refusal('ends before its end');
    this.#records.write(this.#writer);
    return this.#writer.build(this.#warnings());
  }

  #work(): void {
    const bytes = this.#bytes;
    while (!this.ended && !this.#cut && bytes.ready) {
      if (!this.#records) {
        this.#begin();
        continue;
      }
      const type = bytes.byte();
      if (type === (this.#header!.aggregated ? END.aggregated : END.every)) this.ended = true;
      else if (type !== FILLER) this.#records.record(type);
    }
  }

  #begin(): void {
    const header = readHeader(this.#bytes, this.#name);
    const writer = new HeapProfileWriter(this.#name, 'memray', {
      argv: redactArgv(header.command.split(' ').filter(Boolean)),
      ...(header.started > 0 && header.started < 1e13 && { startedAt: isoTime(header.started) }),
    });
    const stacks = new Stacks(writer, header.python);
    const definitions = new Definitions(this.#bytes, stacks);
    const Kind = header.aggregated ? Aggregated : EveryAllocation;
    this.#header = header;
    this.#writer = writer;
    this.#records = new Kind(this.#bytes, header, stacks, definitions);
  }

  #warnings(): string[] {
    const found: string[] = [];
    if (!this.ended) {
      found.push(
        'the capture has no end: the program was killed, or still runs; its figures are those until there',
      );
    }
    if (this.#header!.native) {
      found.push(
        'stacks are those of Python: names of C functions are not in a capture, memray looks them up where it ran',
      );
    }
    return found;
  }
}
