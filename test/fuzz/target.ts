import { UserError } from '../../src/base/errors.ts';
import { mutate } from './mutate.ts';
import type { Random } from './values.ts';

/** Files by their names; one, for most readers. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** What came of a mutant, other than a failure. */
export interface Outcome {
  /** False: it was refused, with words that a user can act on. */
  readonly read: boolean;
  /** Whether what was changed got past the format's checksums; null where it has none. */
  readonly behind: boolean | null;
}

/** Something that reads files which anybody may have damaged, or made. */
export interface Target {
  readonly id: string;
  /** Good files to begin with. */
  readonly seeds: readonly Files[];
  mutant(random: Random): Files;
  /** Reads a mutant, and does with it what commands do; throws when that goes wrong. */
  attempt(files: Files, random: Random): Promise<Outcome>;
}

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)]!;

/** A reader of single files without checksums; `edits` know its format, beside what happens to any file. */
export function fileTarget(
  id: string,
  seeds: readonly { readonly label: string; readonly bytes: Uint8Array }[],
  edits: readonly Edit[],
  read: (label: string, bytes: Uint8Array, random: Random) => void | Promise<void>,
): Target {
  return {
    id,
    seeds: seeds.map(({ label, bytes }) => new Map([[label, bytes]])),
    mutant(random) {
      const { label, bytes } = pick(random, seeds);
      return new Map([[label, mutated(bytes, random, pick(random, seeds).bytes, edits)]]);
    },
    async attempt(files, random) {
      const [[label, bytes]] = files as unknown as [[string, Uint8Array]];
      return { read: await isRead(() => read(label, bytes, random)), behind: null };
    },
  };
}

/** A change that leaves the format's grammar as it is. */
export type Edit = (bytes: Uint8Array, random: Random) => Uint8Array;

/** How many mutants are any file's accidents, where the format's own are known. */
const PLAIN_SHARE = 0.3;

function mutated(
  bytes: Uint8Array,
  random: Random,
  other: Uint8Array,
  edits: readonly Edit[],
): Uint8Array {
  if (edits.length === 0 || random() < PLAIN_SHARE) return mutate(bytes, random, other);
  let result = bytes;
  // One accident alone gets deepest.
  for (let n = 1 + Math.floor(random() ** 3 * 3); n > 0; n--) {
    result = pick(random, edits)(result, random);
  }
  return result;
}

/** A refusal that a user can act on is as good as a recording. */
export async function isRead(work: () => void | Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (error.message.includes('\n')) throw new Error(`more than one line: ${error.message}`);
    return false;
  }
}
