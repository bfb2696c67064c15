import { GiB } from './bytes.ts';
import { describeError, UserError } from './errors.ts';

export const isGzip = (head: Uint8Array) => head[0] === 0x1f && head[1] === 0x8b;

/** For whatever went wrong while a file was unpacked. */
export function damagedGzip(name: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  return new UserError(`${name} is a damaged gzip file (${describeError(error)})`, {
    hint: 'it was cut off or changed: copy it again',
    cause: error,
  });
}

export function tooLargeUnpacked(name: string, mostBytes: number, cause?: unknown): UserError {
  return new UserError(`${name} unfolds to more than ${mostBytes / GiB} GiB`, {
    hint: 'unpack it with gunzip first',
    cause,
  });
}
