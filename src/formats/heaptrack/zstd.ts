import { Decompress } from 'fzstd';
import { MiB } from '../../base/bytes.ts';
import { describeError, FormatError } from '../../base/errors.ts';

/** What zstd takes as most without being told otherwise: a window is set aside before anything is unpacked. */
const MOST_WINDOW = 128 * MiB;

export const isZstd = (head: Uint8Array) =>
  head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;

/** The pieces as they are, or unpacked where they are zstd. */
export async function* unpackedZstd(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  let unpack: Decompress | null | undefined;
  let ended = false;
  const ready: Uint8Array[] = [];
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    if (unpack === undefined) {
      unpack = isZstd(piece) ? new Decompress((made) => ready.push(made)) : null;
      if (unpack) checkWindow(piece, name);
    }
    if (unpack === null) yield piece;
    else {
      // It keeps what it was given until a block is whole; the piece is of use only until the next.
      guarded(name, () => unpack!.push(piece.slice()));
      yield* ready.splice(0);
    }
  }
  if (unpack && !ended) {
    ended = true;
    guarded(name, () => unpack!.push(new Uint8Array(), true));
    yield* ready.splice(0);
  }
}

function guarded(name: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new FormatError(`${name} is a damaged zstd file (${describeError(error)})`, {
      hint: 'it was cut off or changed: copy it again',
      cause: error,
    });
  }
}

/** A frame's header tells how far back it refers, in an exponent and eighths of it. */
function checkWindow(head: Uint8Array, name: string): void {
  const single = (head[4]! & 0x20) !== 0;
  const [exponent, eighths] = [head[5]! >> 3, head[5]! & 7];
  const bytes = single ? 0 : 2 ** (10 + exponent) * (1 + eighths / 8);
  if (bytes > MOST_WINDOW) {
    throw new FormatError(`${name} needs ${bytes / MiB} MiB to be unpacked`, {
      hint: 'pack it with gzip instead',
    });
  }
}
