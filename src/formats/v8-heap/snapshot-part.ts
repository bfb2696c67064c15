import { FormatError } from '../../base/errors.ts';

/** What is wrong with a snapshot, and at which byte. */
export function refuse(name: string, offset: number, what: string, hint?: string): FormatError {
  return new FormatError(`${name}, byte ${offset}: ${what}`, { hint });
}

/** A part of the file's outermost object, fed with bytes until it is whole. */
export interface SnapshotPart {
  /**
   * Takes bytes from `at` on; where it stopped: `end`, or after its own last byte, and then it is `done`.
   * `base` is the file's offset of the first byte, for messages.
   */
  take(bytes: Uint8Array, at: number, end: number, base: number): number;
  readonly done: boolean;
}
