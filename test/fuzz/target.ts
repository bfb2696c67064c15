import { UserError } from '../../src/base/errors.ts';

/** Something that reads files which anybody may have damaged. */
export interface Target {
  readonly id: string;
  readonly seeds: readonly { readonly label: string; readonly bytes: Uint8Array }[];
  /** Reads a mutant of the seed; throws what is no UserError when that goes wrong. */
  attempt(label: string, bytes: Uint8Array): Promise<void>;
}

/** A refusal that a user can act on is as good as a recording. */
export async function expected(work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (error.message.includes('\n')) throw new Error(`more than one line: ${error.message}`);
  }
}
