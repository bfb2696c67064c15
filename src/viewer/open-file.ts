import { heapOf } from '../analyses/heap/index.ts';
import { type HeapSource, notSampled, type OpenedInput } from '../answers/opened.ts';
import { UserError } from '../base/errors.ts';
import { isGzip } from '../base/gzip.ts';
import { HEAD_BYTES } from '../formats/format.ts';
import type { HeapInput } from '../formats/heap-format.ts';
import { detectHeap } from '../formats/heaps.ts';
import { detect, FORMATS } from '../formats/index.ts';
import { crashTextOf } from '../formats/log-lines/index.ts';
import type { FileBytes } from '../model/disk/file-bytes.ts';
import { openRecording } from '../model/disk/reader.ts';
import { type Files, HEAP_FILE } from '../model/disk/recording-files.ts';
import { looksPacked, unpack } from '../model/disk/unpack.ts';
import { tellsPlan } from '../model/engine-plan.ts';
import type { InputProgress } from '../model/inputs-info.ts';
import { fileInMemory } from '../open/foreign-bytes.ts';
import { foundInPack, openFound, openFoundOfRanks } from '../open/found-snapshots.ts';
import { headOf, inputOf, piecesOf } from './local-file.ts';

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
    const crash = crashTextOf(file.name, piecesOf(file));
    if (crash.events.length > 0 || tellsPlan(crash.engines))
      return { ...notSampled(file.name, file.name), heaps: [], crash };
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
    .map((name) =>
      heapSource(name.replace(/^heap\//, ''), () => fileInMemory(name, files.read(name)!)),
    );
  return {
    recording,
    snapshots: await openFound(found, recording),
    rankTraces: await openFoundOfRanks(found, recording),
    heaps,
  };
}

function heapAlone(file: FileBytes): OpenedInput {
  const input: HeapInput = isGzip(file.readAt(0, 2))
    ? { name: file.name, size: null, modified: file.modified, stream: () => piecesOf(file) }
    : file;
  const heaps = [heapSource(file.name, () => input)];
  return { ...notSampled(file.name, file.name), heaps };
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
