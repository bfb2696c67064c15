import { formatBytes, MiB, parseSize } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';

/** A CUDA context alone takes about so much. */
const SMALLEST = 512 * MiB;

/** The memory of a GPU, as `--gpu-limit` takes it. */
export function cardSize(text: string): number {
  const bytes = parseSize(text);
  if (bytes >= SMALLEST) return bytes;
  throw new UserError(`no card has ${formatBytes(bytes)}`, {
    hint: 'a CUDA context alone takes about 512 MiB; write it as 24GiB',
  });
}
