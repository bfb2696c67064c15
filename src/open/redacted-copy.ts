import { closeSync, existsSync, futimesSync, mkdirSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { UserError } from '../base/errors.ts';
import { isGzip } from '../base/gzip.ts';
import { type Redactor, usersIn } from '../base/redaction/index.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import { detectHeap } from '../formats/heaps.ts';
import { redactSnapshot, type SnapshotTexts, textsOf } from '../formats/torch-snapshot/redact.ts';
import { type FileBytes, fileBytes } from '../model/disk/file-bytes.ts';
import { packedFiles } from '../model/disk/pack.ts';
import { HEAP_FILE, OURS } from '../model/disk/recording-files.ts';
import { createAnew, openRegular, refuseLinks } from '../model/disk/regular-files.ts';
import { saveRecording } from '../model/disk/save.ts';
import { completeSizes, parseSizes, SIZES_FILE } from '../model/disk/sizes-file.ts';
import type { Recording } from '../model/recording.ts';
import { namesIn, redactorOf, redactRecording, type ToldNames } from '../model/redacted.ts';
import { redactSizes } from '../model/redacted-sizes.ts';
import type { SizesAt } from '../model/sizes.ts';
import { fileInMemory, openForeignBytes } from './foreign-bytes.ts';
import { openForeign } from './foreign-file.ts';
import { unpackedHead, unpackedPieces } from './gzip.ts';
import { heapFiles, isHeapFile } from './heaps.ts';
import { partPaths } from './jobs.ts';
import { type InputLocation, locate } from './locate.ts';
import { headOf, statOf } from './named-file.ts';
import { openLocation } from './open.ts';

export interface RedactionOptions {
  /** Names to look for beside those that the input itself tells. */
  readonly users: readonly string[];
  readonly hosts: readonly string[];
  /** Which heaps of a recording go along, as it names them; all where absent. */
  readonly heaps?: readonly string[];
  /** Told of what could not be redacted, and so does not go along. */
  onLeftOut(what: string): void;
}

/** One file of a recording, wherever it is. */
interface Member {
  readonly name: string;
  readonly bytes: FileBytes;
  /** As a recording; of a snapshot. */
  open(): Promise<Recording>;
}

/** A recording on its way: what lies beside its tables, and what of it can be read. */
interface Part {
  readonly recording: Recording;
  readonly told: readonly ToldNames[];
  readonly snapshots: readonly { readonly member: Member; readonly texts: SnapshotTexts }[];
  readonly heaps: readonly Member[];
  /** What processes told of their sizes. */
  readonly sizes: readonly SizesAt[];
}

/**
 * A copy of an input to give away, in a folder: recordings with their snapshots and heaps, the ranks of a job, a snapshot, a heap, or
 * what another tool's file tells. Returns its path. Nothing goes along that was not looked into to its end.
 */
export async function redactedCopy(
  path: string,
  folder: string,
  options: RedactionOptions,
): Promise<string> {
  if (isHeapFile(path)) return heapCopy(path, folder, options);
  const location = locate(path);
  if (location.kind === 'file') return fileCopy(location, folder, options);
  const isJob = location.kind === 'job';
  const places = isJob ? partPaths(location.path).map((part) => locate(part)) : [location];
  const parts: Part[] = [];
  for (const place of places) parts.push(await partAt(place, options));
  const redactor = redactorOf([options, ...parts.flatMap(({ told }) => told)]);
  const name = redactor.words(stem(location.path));
  const copies: string[] = [];
  for (const [i, part] of parts.entries()) {
    const copy = join(folder, isJob ? `${name}/part-${i + 1}.hw` : `${name}.hw`);
    await writePart(part, copy, redactor, options);
    copies.push(copy);
  }
  return isJob ? join(folder, name) : copies[0]!;
}

const stem = (path: string) => basename(path).replace(/\.(hw|hwz|gz|pickle|pkl)$/gi, '') || 'run';

async function partAt(location: InputLocation, options: RedactionOptions): Promise<Part> {
  const recording = await openLocation(location);
  const told = [namesIn(recording)];
  const snapshots: { member: Member; texts: SnapshotTexts }[] = [];
  for (const { file } of recording.run.snapshots ?? []) {
    const member = OURS.test(file) ? memberOf(location, file) : null;
    if (!member || snapshots.some((one) => one.member.name === file)) continue;
    const opened = await orLeftOut(file, options, () => member.open());
    if (!opened) continue;
    // Of the snapshot itself only its names are kept: it may be large.
    told.push(namesIn(opened));
    snapshots.push({ member, texts: textsOf(opened) });
  }
  const heaps = heapNames(location).filter((name) => options.heaps?.includes(name) ?? true);
  const members = heaps.flatMap((name) => memberOf(location, name) ?? []);
  const sizes = sizesAt(location);
  told.push({ users: usersIn(JSON.stringify(sizes)), hosts: [], functions: [] });
  return { recording, told, snapshots, heaps: members, sizes };
}

function sizesAt(location: InputLocation): SizesAt[] {
  if (location.kind !== 'packed' && location.kind !== 'folder') return [];
  const member = memberOf(location, SIZES_FILE);
  return member ? parseSizes(member.bytes.readAt(0, member.bytes.size)) : [];
}

function heapNames(location: InputLocation): string[] {
  if (location.kind === 'agents') return [];
  const inside = `${location.path}/`;
  try {
    return heapFiles([location.path])
      .map((file) => file.slice(file.startsWith(inside) ? inside.length : 0))
      .filter((name) => HEAP_FILE.test(name));
  } catch (error) {
    if (error instanceof UserError) return []; // it has none
    throw error;
  }
}

function memberOf({ path, kind }: InputLocation, name: string): Member | null {
  if (kind === 'packed') {
    const bytes = packedFiles(path).read(name);
    const file = bytes && fileInMemory(basename(name), bytes);
    return file && { name, bytes: file, open: () => openForeignBytes(name, bytes) };
  }
  const folder = path.endsWith('.ndjson') ? dirname(path) : path;
  const file = join(folder, name);
  if (!existsSync(file)) return null;
  refuseLinks(folder, name);
  closeSync(openRegular(file));
  return { name, bytes: fileBytes(file), open: () => openForeign(file) };
}

async function writePart(
  { recording, snapshots, heaps, sizes }: Part,
  folder: string,
  redactor: Redactor,
  options: RedactionOptions,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const there = new Set<string>();
  const put = async ({ name, bytes }: Member, pieces: () => AsyncIterable<Uint8Array>) => {
    const whole = await orLeftOut(name, options, () =>
      writePieces(join(folder, name), pieces(), bytes.modified),
    );
    if (whole) there.add(name);
  };
  for (const { member, texts } of snapshots)
    await put(member, () => redactSnapshot(member.bytes.stream(), texts, redactor));
  for (const member of heaps) await put(member, () => redactHeap(member.bytes, redactor));
  if (sizes.length > 0)
    completeSizes(
      folder,
      sizes.map((one) => redactSizes(one, redactor)),
    );
  // The tables come last, as sentences of ours name what was found elsewhere.
  const given = redactRecording(recording, redactor);
  const { snapshots: snapshotList, heaps: heapList, ...run } = given.run;
  saveRecording(
    {
      ...given,
      run: {
        ...run,
        ...(snapshotList && { snapshots: snapshotList.filter(({ file }) => there.has(file)) }),
        ...(heapList && { heaps: heapList.filter(({ file }) => there.has(file)) }),
      },
    },
    folder,
  );
}

async function* redactHeap(bytes: FileBytes, redactor: Redactor): AsyncGenerator<Uint8Array> {
  const format = detectHeap(bytes.readAt(0, HEAD_BYTES));
  if (!format) throw new UserError(`${bytes.name} is no heap that Highwater knows`);
  yield* format.redact({ ...bytes, crc32 }, redactor);
}

/** A heap in a file of its own. */
async function heapCopy(path: string, folder: string, options: RedactionOptions): Promise<string> {
  const redactor = redactorOf([options]);
  const packed = isGzip(headOf(path));
  const head = packed ? unpackedHead(path, HEAD_BYTES) : headOf(path);
  const format = detectHeap(head)!;
  const input = packed
    ? { name: basename(path), size: null, stream: () => unpackedPieces(path), crc32 }
    : { ...fileBytes(path), crc32 };
  const name = basename(path, '.gz');
  const ending = extname(name);
  const copy = join(folder, redactor.words(name.slice(0, -ending.length || undefined)) + ending);
  await writePieces(copy, format.redact(input, redactor), statOf(path).mtimeMs);
  return copy;
}

/** A snapshot as such, another tool's file as a recording. */
async function fileCopy(
  location: InputLocation,
  folder: string,
  options: RedactionOptions,
): Promise<string> {
  const { path } = location;
  const recording = await openLocation(location);
  const redactor = redactorOf([options, namesIn(recording)]);
  const name = redactor.words(stem(path));
  if (recording.run.allocator?.source === 'torch-snapshot') {
    const pieces = isGzip(headOf(path)) ? unpackedPieces(path) : fileBytes(path).stream();
    const copy = join(folder, `${name}.pickle`);
    await writePieces(copy, redactSnapshot(pieces, textsOf(recording), redactor));
    return copy;
  }
  const copy = join(folder, `${name}.hw`);
  mkdirSync(copy, { mode: 0o700 });
  saveRecording(redactRecording(recording, redactor), copy);
  return copy;
}

/** What fails on a file's content does not go along, and is told. */
async function orLeftOut<T>(
  name: string,
  { onLeftOut }: RedactionOptions,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    onLeftOut(`${name} left out, as it cannot be redacted: ${error.message}`);
    return null;
  }
}

/** A file that is either whole or not there. */
async function writePieces(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  modified = 0,
): Promise<true> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = createAnew(path, 0o600);
  try {
    for await (const piece of pieces)
      for (let done = 0; done < piece.length; ) done += writeSync(fd, piece, done);
    // Of a heap of V8 that is when it was taken.
    if (modified > 0) futimesSync(fd, modified / 1000, modified / 1000);
    return true;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}
