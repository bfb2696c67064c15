import { UserError } from '../base/errors.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import { makeInput } from '../formats/input.ts';
import type { FileBytes } from '../model/disk/file-bytes.ts';
import type { Recording } from '../model/recording.ts';

/** A file that is in memory already, as of a packed recording. */
export const fileInMemory = (name: string, bytes: Uint8Array): FileBytes => ({
  name,
  size: bytes.length,
  modified: 0,
  stream: () => [bytes],
  readAt: (offset, length) => bytes.subarray(offset, offset + length),
});

/** The same as a recording: one of another tool. */
export async function openForeignBytes(name: string, bytes: Uint8Array): Promise<Recording> {
  const { detect } = await import('../formats/index.ts');
  const format = detect(bytes.subarray(0, HEAD_BYTES), name);
  if (!format?.read) throw new UserError(`${name} is of no format that Highwater knows`);
  const stream = async function* () {
    yield bytes;
  };
  return format.read(makeInput(name, () => [bytes], {}, { size: bytes.length, stream }));
}
