import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/** As `open/foreign-file.ts` has it: a smaller one is read before a thread has started. */
const LARGE_BYTES = 64 << 20;
/** Flags of `report` that change nothing of how a file is read. */
const PLAIN = ['--json', '--brief', '--markdown'];

/** A large memory snapshot that the arguments ask about, before anything of ours is loaded; null where that is not certain. */
export function largeSnapshot([verb, ...words]: readonly string[]) {
  const named = words.filter((word) => !word.startsWith('-'));
  const flags = words.filter((word) => word.startsWith('-'));
  const isPlain =
    verb === 'report' && named.length === 1 && flags.every((flag) => PLAIN.includes(flag));
  const isWhatIf = verb === 'what-if' && !flags.some((flag) => /^(-h|--help|--events)/.test(flag));
  if (!isPlain && !isWhatIf) return null;
  return named.map(snapshotAt).find((found) => found !== null) ?? null;
}

function snapshotAt(path: string) {
  let fd: number;
  try {
    // A pipe must not be opened here: whoever writes to it would lose its reader.
    if (!statSync(path).isFile()) return null;
    fd = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const head = new Uint8Array(2);
    if (size < LARGE_BYTES || readSync(fd, head) < 2) return null;
    // A pickle of protocol 2 to 5; any other file is looked at when its turn comes.
    if (head[0] !== 0x80 || head[1]! < 2 || head[1]! > 5) return null;
    return { path, name: basename(path), packed: false, size, hints: { modified: mtimeMs / 1000 } };
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
