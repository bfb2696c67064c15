import { Gzip } from 'fflate';
import type { Frame } from '../../model/allocations/names.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

/** What a profile says beside its samples. */
export interface ProfileHead {
  /** What the values of each sample are: `['inuse_space', 'bytes']`. */
  readonly types: readonly (readonly [type: string, unit: string])[];
  /** The one that is shown first. */
  readonly first: string;
  readonly comments: readonly string[];
  /** When it was so, in Unix milliseconds; null where that is not known. */
  readonly taken: number | null;
}

/** What one call stack has, in values of the head's types. */
export interface ProfileSample {
  /** The innermost first. */
  readonly frames: readonly Frame[];
  readonly values: readonly number[];
  readonly labels: readonly (readonly [key: string, value: string])[];
}

const PIECE_BYTES = 1 << 16;

/**
 * A profile as `go tool pprof`, Pyroscope and Parca read it, gzipped: messages of profile.proto, the tables that samples refer to
 * after them, as only then it is known what they refer to.
 */
export function* encodeProfile(
  head: ProfileHead,
  samples: Iterable<ProfileSample>,
): Generator<Uint8Array> {
  const packed: Uint8Array[] = [];
  const gzip = new Gzip({ mtime: 0 }, (piece) => packed.push(piece));
  for (const piece of plainPieces(head, samples)) {
    gzip.push(piece);
    yield* packed.splice(0);
  }
  gzip.push(new Uint8Array(), true);
  yield* packed.splice(0);
}

function* plainPieces(head: ProfileHead, samples: Iterable<ProfileSample>): Generator<Uint8Array> {
  const texts = new Texts();
  const places = new Places(texts);
  const out = new ProtobufWriter();
  for (const [type, unit] of head.types) {
    const valueType = new ProtobufWriter().number(1, texts.id(type)).number(2, texts.id(unit));
    out.bytes(1, valueType.take());
  }
  for (const { frames, values, labels } of samples) {
    const sample = new ProtobufWriter()
      .numbers(
        1,
        frames.map((frame) => places.id(frame)),
      )
      .numbers(2, values);
    for (const [key, value] of labels) {
      const label = new ProtobufWriter().number(1, texts.id(key)).number(2, texts.id(value));
      sample.bytes(3, label.take());
    }
    out.bytes(2, sample.take());
    if (out.length >= PIECE_BYTES) yield out.take();
  }
  // Says that all places have names already, or readers go and look for a program to take them from.
  out.bytes(3, new ProtobufWriter().number(1, 1).flag(7, true).flag(8, true).flag(9, true).take());
  for (const message of places.messages()) {
    out.bytes(message.field, message.bytes);
    if (out.length >= PIECE_BYTES) yield out.take();
  }
  const comments = head.comments.map((comment) => texts.id(comment));
  const first = texts.id(head.first);
  for (const text of texts.all()) {
    out.bytes(6, text);
    if (out.length >= PIECE_BYTES) yield out.take();
  }
  if (head.taken !== null) out.number(9, head.taken * 1e6);
  yield out.numbers(13, comments).number(14, first).take();
}

/** Every text once; the first is the empty one. */
class Texts {
  readonly #ids = new Map<string, number>([['', 0]]);

  id(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(text, id);
    }
    return id;
  }

  *all(): Generator<Uint8Array> {
    const encoder = new TextEncoder();
    for (const text of this.#ids.keys()) yield encoder.encode(text);
  }
}

/** Places in the code, each once, and the functions that they are in. Ids count from 1. */
class Places {
  readonly #texts: Texts;
  readonly #locations = new Map<string, { readonly function: number; readonly line: number }>();
  readonly #locationIds = new Map<string, number>();
  readonly #functions = new Map<string, { readonly name: number; readonly file: number }>();
  readonly #functionIds = new Map<string, number>();

  constructor(texts: Texts) {
    this.#texts = texts;
  }

  id({ function: name, file, line }: Frame): number {
    const known = file === '??' ? '' : file;
    const key = `${line} ${known.length} ${known}${name}`;
    let id = this.#locationIds.get(key);
    if (id === undefined) {
      id = this.#locationIds.size + 1;
      this.#locationIds.set(key, id);
      this.#locations.set(key, { function: this.#functionId(name, known), line });
    }
    return id;
  }

  *messages(): Generator<{ field: number; bytes: Uint8Array }> {
    for (const [key, { function: owner, line }] of this.#locations) {
      const inner = new ProtobufWriter().number(1, owner).number(2, line).take();
      const id = this.#locationIds.get(key)!;
      yield {
        field: 4,
        bytes: new ProtobufWriter().number(1, id).number(2, 1).bytes(4, inner).take(),
      };
    }
    for (const [key, { name, file }] of this.#functions) {
      const id = this.#functionIds.get(key)!;
      const message = new ProtobufWriter().number(1, id).number(2, name).number(4, file);
      yield { field: 5, bytes: message.take() };
    }
  }

  #functionId(name: string, file: string): number {
    const key = `${file.length} ${file}${name}`;
    let id = this.#functionIds.get(key);
    if (id === undefined) {
      id = this.#functionIds.size + 1;
      this.#functionIds.set(key, id);
      this.#functions.set(key, { name: this.#texts.id(name), file: this.#texts.id(file) });
    }
    return id;
  }
}
