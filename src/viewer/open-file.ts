import { heapOf } from '../analyses/heap/index.ts';
import { UserError } from '../base/errors.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import type { HeapInput } from '../formats/heap-format.ts';
import { detectHeap } from '../formats/heaps.ts';
import { detect, FORMATS } from '../formats/index.ts';
import { CrashReader } from '../formats/log-lines/index.ts';
import { RecordingBuilder } from '../model/builder.ts';
import type { FileBytes } from '../model/disk/file-bytes.ts';
import { openRecording } from '../model/disk/reader.ts';
import { type Files, HEAP_FILE } from '../model/disk/recording-files.ts';
import { looksPacked, unpack } from '../model/disk/unpack.ts';
import type { InputProgress } from '../model/inputs-info.ts';
import type { CrashText } from '../model/out-of-memory.ts';
import { foundInPack, openFound, openFoundOfRanks } from '../open/found-snapshots.ts';
import type { HeapSource, OpenedInput } from '../server/open-inputs.ts';
import { headOf, inputOf, isGzip, unpacked } from './local-file.ts';

type Progress = (progress: InputProgress) => void;

/** Whatever `highwater view` opens that is one file: a packed recording, a heap, or a file of another tool. */
export async function openFile(file: FileBytes, progress: Progress): Promise<OpenedInput> {
  if (file.size === 0) {
    throw new UserError(`${file.name} is empty`, { hint: 'was it written to its end?' });
  }
  const head = headOf(file, HEAD_BYTES);
  if (looksPacked(head)) return openPack(unpack(file.name, file.readAt(0, file.size)));
  if (detectHeap(head)) return heapAlone(file);
  const format = detect(head, file.name.replace(/\.gz$/i, ''));
  if (!format?.read) {
    const crash = crashIn(file);
    if (crash.events.length > 0) return { ...notSampled(file), heaps: [], crash };
    const known = FORMATS.filter((other) => other.read).map((other) => other.id);
    throw new UserError(`${file.name} is of no format that Highwater knows`, {
      hint: `it reads packed recordings (highwater pack), heaps and ${known.join(', ')}`,
    });
  }
  const read = (done: number, total: number | null) => progress({ what: 'reading', done, total });
  const recording = await format.read(inputOf(file, read));
  return { recording, snapshots: [], rankTraces: [], heaps: [] };
}

async function openPack(files: Files): Promise<OpenedInput> {
  const recording = openRecording(files);
  const found = foundInPack(files, recording.run.snapshots ?? []);
  const number = (name: string) => Number(name.split('/')[1]);
  const heaps = files
    .list()
    .filter((name) => HEAP_FILE.test(name))
    .sort((a, b) => number(a) - number(b))
    .map((name) => heapSource(name.replace(/^heap\//, ''), () => inMemory(name, files)));
  return {
    recording,
    snapshots: await openFound(found, recording),
    rankTraces: await openFoundOfRanks(found, recording),
    heaps,
  };
}

/** Of a heap alone, or a log, nothing was sampled: a recording without tables. */
function notSampled({ name }: FileBytes): Omit<OpenedInput, 'heaps'> {
  const recording = new RecordingBuilder({ id: name, name }).build();
  return { recording, snapshots: [], rankTraces: [] };
}

/** What a log says about memory that ran out. */
function crashIn(file: FileBytes): CrashText {
  const reader = new CrashReader();
  for (const line of inputOf(file, () => {}).lines()) reader.push(line);
  return reader.end(file.name);
}

function heapAlone(file: FileBytes): OpenedInput {
  const input: HeapInput = isGzip(file.readAt(0, 2))
    ? { name: file.name, size: null, modified: file.modified, stream: () => unpacked(file) }
    : file;
  const heaps = [heapSource(file.name, () => input)];
  return { ...notSampled(file), heaps };
}

function inMemory(name: string, files: Files): HeapInput {
  const bytes = files.read(name)!;
  return {
    name,
    size: bytes.length,
    stream: () => [bytes],
    readAt: (offset, length) => bytes.subarray(offset, offset + length),
  };
}

/** Read when it is first looked at. */
function heapSource(name: string, input: () => HeapInput): HeapSource {
  let opened: ReturnType<HeapSource['open']> | undefined;
  const read = async (progress: Progress) => {
    const heap = input();
    const format = detectHeap(firstOf(heap).subarray(0, HEAD_BYTES))!;
    const onProgress = (share: number) =>
      progress({ what: `reading ${name}`, done: share, total: 1 });
    return heapOf(await format.read(heap, { onProgress }));
  };
  return {
    name,
    open(progress) {
      opened ??= read(progress);
      return opened;
    },
  };
}

function firstOf({ stream }: HeapInput): Uint8Array {
  for (const piece of stream() as Iterable<Uint8Array>) return piece;
  return new Uint8Array();
}
