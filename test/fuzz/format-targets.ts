import { basename } from 'node:path';
import type { Format } from '../../src/formats/format.ts';
import { FORMATS } from '../../src/formats/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { readTrainingLog, splitLines, withTrainingLog } from '../../src/formats/log-lines/index.ts';
import { PLAIN_TABLES } from '../../src/model/plain.ts';
import { keptFiles } from '../formats/kept-files.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { editJson } from './mutate-json.ts';
import { LINE_EDITS } from './mutate-lines.ts';
import { editPickle } from './mutate-pickle.ts';
import { editProtobuf } from './mutate-protobuf.ts';
import { editArrow } from './mutate-recording.ts';
import { type Edit, fileTarget, type Target } from './target.ts';
import { use } from './use.ts';

/** Every format that reads, and logs laid over samples. */
export function formatTargets(): Target[] {
  return [...FORMATS.filter((format) => format.read).map(formatTarget), logTarget()];
}

/** What knows a format's grammar; the others are lines of text. */
const EDITS: Readonly<Record<string, readonly Edit[]>> = {
  arrow: [editArrow],
  'torch-snapshot': [editPickle],
  'torch-snapshot-json': [editJson],
  json: [editJson],
  'torch-profiler': [editJson],
  'torch-timeline': [editJson],
  'pprof-heap': [editProtobuf],
};

/** Every recording that comes of these is like one of ours, which are all used. */
const USED_SHARE = 0.3;

/** Small inputs break in the same ways as large ones, and a hundred times as many can be tried. */
const SEED_BYTES = 2048;

function formatTarget(format: Format): Target {
  const small = sampleRecording(4);
  const tables = format.defaultTable ? [format.defaultTable, ...PLAIN_TABLES] : [undefined];
  const written = tables.flatMap((table) => {
    const pieces = format.write ? [...format.write(small, { table })] : [];
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
    return bytes.length > 0 ? [{ label: table ?? format.id, bytes: new Uint8Array(bytes) }] : [];
  });
  const kept = keptFiles(format.id).map(({ path, bytes }) => ({ label: basename(path), bytes }));
  const seeds = [...written, ...kept].map(({ label, bytes }) => ({
    label,
    bytes: shortened(bytes),
  }));
  return fileTarget(
    format.id,
    seeds,
    EDITS[format.id] ?? LINE_EDITS,
    async (label, bytes, random) =>
      use(await format.read!(makeInput(label, () => [bytes])), random, USED_SHARE),
  );
}

/** Of long lists in JSON and of long texts the beginning; anything else as it is. */
function shortened(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= SEED_BYTES) return bytes;
  const text = new TextDecoder().decode(bytes);
  try {
    const short = JSON.stringify(withShortLists(JSON.parse(text)));
    return new TextEncoder().encode(short);
  } catch {
    const binary = bytes.subarray(0, 512).some((byte) => byte < 9);
    return binary ? bytes : bytes.slice(0, bytes.lastIndexOf(0x0a, SEED_BYTES) + 1);
  }
}

const LIST_ITEMS = 40;

function withShortLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, LIST_ITEMS).map(withShortLists);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, withShortLists(v)]));
}

/** A training's log laid over samples, as `import --log` does it. */
function logTarget(): Target {
  const { bytes: free } = keptFiles('free-log').find(({ path }) => path.includes('3.3.9'))!;
  const samples = FORMATS.find((format) => format.id === 'free-log')!;
  const seeds = keptFiles('training-log').map(({ path, bytes }) => ({
    label: basename(path),
    bytes,
  }));
  return fileTarget('training-log', seeds, LINE_EDITS, async (label, bytes, random) => {
    const recording = await samples.read!(makeInput('free.log', () => [free]));
    const splitter = splitLines();
    const log = readTrainingLog(label, [...splitter.push(bytes), ...splitter.end()]);
    await use(withTrainingLog(recording, log, { fileTime: 1_461_693_230 }), random, USED_SHARE);
  });
}
