import { printable } from './text.ts';

/**
 * What went wrong, where, and what to do about it. Anything a user can cause is a `UserError`
 * and prints as one line; everything else is a bug and keeps its stack.
 */
export class UserError extends Error {
  readonly hint: string | undefined;
  /** 2 is bad usage or bad input everywhere but in `record`, which answers 125 as `env` does. */
  readonly exitCode: number;

  constructor(
    message: string,
    options: { hint?: string; exitCode?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'UserError';
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? 2;
  }
}

/** Nothing can be recorded here; the command that was to be is run all the same, by whoever started us. */
export class CannotRecord extends UserError {
  readonly command: readonly string[];

  constructor(command: readonly string[], cause: unknown) {
    super(`${describeError(cause)} (the command runs unrecorded)`, { cause, exitCode: 125 });
    this.command = command;
  }
}

/** Input that is not what it claims to be, with the place where that showed. */
export class FormatError extends UserError {
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    // Parts of a file are quoted in it, which must neither break the line nor steer a terminal.
    super(printable(message), options);
    this.name = 'FormatError';
  }
}

/** The operating system's short code (`ENOSPC`, `EACCES` …) of a thrown value, if it has one. */
export function errnoCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  // Node has no name for this one.
  if (error.code === 'UNKNOWN' && 'errno' in error && error.errno === -122) return 'EDQUOT';
  return typeof error.code === 'string' ? error.code : undefined;
}

/** One line for any thrown value; system errors say what happened, not their syscall's name. */
export function describeError(error: unknown): string {
  switch (errnoCode(error)) {
    case 'ENOSPC':
      return 'no space left on the disk (ENOSPC)';
    case 'EDQUOT':
      return 'disk quota exceeded (EDQUOT)';
    case 'EFBIG':
      return 'a file is as large as files may be here (EFBIG; see `ulimit -f`)';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EROFS':
      return 'the file system is read-only (EROFS)';
    case 'ENOENT':
      return 'no such file or folder';
    case 'ENOTDIR':
      return 'not a folder';
    case 'EISDIR':
      return 'is a folder';
    case 'EMFILE':
      return 'too many open files (EMFILE; raise `ulimit -n`)';
  }
  return error instanceof Error ? error.message.split('\n', 1)[0]! : String(error);
}
