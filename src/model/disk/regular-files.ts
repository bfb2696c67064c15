import { closeSync, constants, fstatSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoCode, UserError } from '../../base/errors.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * A recording may come from anybody, so of its folder only regular files are read: a link would lead out of it,
 * and a pipe or a device never ends.
 */
export function openRegular(path: string): number {
  let fd: number;
  try {
    // Else who opens a pipe that nobody writes to waits for ever.
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (errnoCode(error) === 'ELOOP') throw notRegular(path, 'a link');
    if (errnoCode(error) === 'ENXIO') throw notRegular(path, 'a socket');
    throw error;
  }
  const stat = fstatSync(fd);
  if (stat.isFile()) return fd;
  closeSync(fd);
  if (stat.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
  throw notRegular(path, 'no regular file');
}

function notRegular(path: string, what: string): UserError {
  return new UserError(`${path} is ${what}, which is not read as part of a recording`, {
    hint: 'a recording has plain files only: copy what it leads to, if you know it',
  });
}

/** Refuses a file below a folder that is reached through a link. */
export function refuseLinks(folder: string, name: string): void {
  let at = folder;
  for (const part of name.split('/').slice(0, -1)) {
    at = join(at, part);
    if (lstatSync(at).isSymbolicLink()) throw notRegular(at, 'a link');
  }
}

/** A file of ours, made anew: whatever has its name, a link included, makes way and is not written through. */
export function createAnew(path: string, mode = 0o644): number {
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  try {
    return openSync(path, flags, mode);
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error;
    unlinkSync(path);
    return openSync(path, flags, mode);
  }
}
