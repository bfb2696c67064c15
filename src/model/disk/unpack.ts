import { formatBytes, MiB } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';
import { type Files, HEAP_FILE, OURS } from './recording-files.ts';
import { readDirectory, readEntryBytes, type ZipEntry } from './unzip.ts';

/** Whether a file begins as every zip does. */
export function looksPacked(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** Figures with times do not shrink a hundredfold, however still a run was. */
const most = (plain: number) => (packedBytes: number) => plain + 100 * packedBytes;
const mostOfAll = most(512 * MiB);
/** What a member may unfold to, by its kind. */
const MEMBERS: readonly (readonly [RegExp, (packedBytes: number) => number])[] = [
  [/^run\.json/, () => 16 * MiB],
  [/^sizes\.json/, () => 512 * MiB],
  [/^summary\.jsonl/, () => MiB],
  [/\.idx(\.new)?$/, () => 256 * MiB],
  [/./, most(64 * MiB)],
];

function readMember(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const limit = MEMBERS.find(([kind]) => kind.test(entry.name))![1](entry.size);
  if (entry.originalSize > limit) {
    throw new FormatError(
      `it unfolds to ${formatBytes(entry.originalSize)}, more than such a file does`,
    );
  }
  return readEntryBytes(bytes, entry);
}

/** The files inside a packed recording that is in memory; each is inflated when it is read. */
export function unpack(path: string, bytes: Uint8Array): Files {
  const file = path.split('/').at(-1)!;
  const named = <T>(what: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw new FormatError(`${what}: ${error.message}`, { cause: error });
    }
  };
  const directory = named(`${file} is not a whole packed recording`, () => readDirectory(bytes));
  const entries = new Map(directory.map((entry) => [entry.name, entry]));
  const total = directory.reduce((sum, { originalSize }) => sum + originalSize, 0);
  if (total > mostOfAll(bytes.length)) {
    throw new FormatError(`${file} unfolds to ${formatBytes(total)}, more than a recording does`);
  }
  return {
    place: path,
    // Other names are none of a recording's, nor can they lead out of its folder.
    list: () => [...entries.keys()].filter((name) => OURS.test(name) || HEAP_FILE.test(name)),
    read(name) {
      const entry = entries.get(name);
      return entry ? named(`${name} in ${file}`, () => readMember(bytes, entry)) : null;
    },
  };
}
