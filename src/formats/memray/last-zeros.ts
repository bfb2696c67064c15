const PIECE = 1 << 16;

/**
 * The pieces without the zeros at the end of all: memray makes its file longer ahead of what it writes, and a program that was killed
 * leaves that behind.
 */
export async function* withoutLastZeros(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let zeros = 0;
  for await (const piece of pieces) {
    const last = piece.findLastIndex((byte) => byte !== 0);
    if (last >= 0) {
      for (; zeros > 0; zeros -= Math.min(zeros, PIECE))
        yield new Uint8Array(Math.min(zeros, PIECE));
      yield piece.subarray(0, last + 1);
    }
    zeros += piece.length - last - 1;
  }
}
