/** How many bytes of a file were read, and how many it has, where that is known. */
export type ReadProgress = (done: number, total: number | null) => void;

/** The pieces as they are, each told of before it is handed on. */
export function* counted(
  pieces: Iterable<Uint8Array>,
  total: number | null,
  progress: ReadProgress,
): Generator<Uint8Array> {
  let done = 0;
  for (const piece of pieces) {
    yield piece;
    done += piece.length;
    progress(done, total);
  }
}

/** The same for pieces that are waited for. */
export async function* countedAsync(
  pieces: AsyncIterable<Uint8Array>,
  total: number | null,
  progress: ReadProgress,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const piece of pieces) {
    yield piece;
    done += piece.length;
    progress(done, total);
  }
}
