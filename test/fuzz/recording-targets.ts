import { join } from 'node:path';
import { openRecording } from '../../src/model/disk/reader.ts';
import { unpack } from '../../src/model/disk/unpack.ts';
import type { Recording } from '../../src/model/recording.ts';
import { savedFiles } from '../support/files.ts';
import { memoryFiles, readFolder } from '../support/memory-files.ts';
import { allRows, isSubsequence } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { mutate } from './mutate.ts';
import { isSealed, mutateRecording } from './mutate-recording.ts';
import { editHeaders, withSums, zipped } from './mutate-zip.ts';
import { type Files, isRead, pick, type Target } from './target.ts';
import { use } from './use.ts';

/** Recordings as folders and packed. */
export function recordingTargets(): Target[] {
  const whole = savedFiles(sampleRecording(12));
  const seeds = [readFolder(join('test/fixtures/recordings', 'v3.hw')), ...parts(whole)];
  return [folderTarget(seeds), packedTarget(seeds)];
}

/** Tables that are read together: each of these is a recording, and the smaller it is the more can be tried. */
const TOGETHER = [
  ['host', 'process', 'processes', 'marks'],
  ['process', 'processes', 'cgroup', 'clock'],
  ['gpu', 'gpu_process', 'processes', 'marks'],
  ['layers', 'counters', 'process', 'marks'],
  ['tensors', 'objects', 'counters', 'host'],
  ['allocations', 'pools', 'segments', 'blocks', 'stacks', 'frames', 'tags'],
];

function parts(files: Files): Files[] {
  return TOGETHER.map((tables) => {
    const names = [
      'run.json',
      ...[...tables, 'strings'].flatMap((one) => [`${one}.arrow`, `${one}.idx`]),
    ];
    return new Map(names.map((name) => [name, files.get(name)!]));
  });
}

function folderTarget(seeds: readonly Files[]): Target {
  const rows = new Map(seeds.map((files) => [files, allRows(openRecording(memoryFiles(files)))]));
  return {
    id: 'recording',
    seeds,
    mutant: (random) => mutateRecording(pick(random, seeds), random),
    async attempt(files, random) {
      const behind = isSealed(files);
      const read = await isRead(async () => {
        const recording = openRecording(memoryFiles(files));
        for (const name of recording.tables) recording.table(name);
        // What a checksum finds must cost no more than its own rows, and be said.
        const seed = behind ? undefined : seeds.find((one) => differing(files, one) === 1);
        if (seed) keepsTruth(recording, rows.get(seed)!);
        await use(recording, random);
      });
      return { read, behind };
    },
  };
}

type Rows = ReadonlyMap<string, readonly string[]>;

/** How many files two recordings do not share; those that were not changed are the same memory. */
function differing(a: Files, b: Files): number {
  return [...b].filter(([name, bytes]) => a.get(name) !== bytes).length;
}

/** No row may be wrong, and no loss may go unsaid. */
function keepsTruth(recording: Recording, rows: Rows): void {
  const found: Rows = allRows(recording);
  for (const [name, whole] of rows) {
    const part = found.get(name) ?? [];
    if (!isSubsequence(part, whole)) throw new Error(`wrong rows in ${name}`);
    const said = recording.damage.some((line) => line.includes(name));
    if (part.length < whole.length && !said) throw new Error(`rows of ${name} lost unsaid`);
  }
}

/** How many packs are damaged below their checksums; and how many, in all, not in what they hold. */
const UNSEALED_SHARE = 0.02;
const HEADER_SHARE = 0.12;

function packedTarget(seeds: readonly Files[]): Target {
  const name = 'pack.hwz';
  const packs = seeds.map((files) => zipped(files, true));
  const stored = seeds.map((files) => zipped(files, false));
  return {
    id: 'packed',
    seeds: packs.map((bytes) => new Map([[name, bytes]])),
    mutant(random) {
      const bytes = pick(random, random() < 0.5 ? packs : stored);
      const roll = random();
      if (roll < UNSEALED_SHARE) return new Map([[name, mutate(bytes, random, bytes)]]);
      if (roll < HEADER_SHARE) return new Map([[name, withSums(editHeaders(bytes, random))]]);
      const files = mutateRecording(pick(random, seeds), random);
      return new Map([[name, zipped(files, random() < 0.1)]]);
    },
    async attempt(files, random) {
      const bytes = files.get(name)!;
      let behind = false;
      const read = await isRead(async () => {
        const inside = unpack(name, bytes);
        const names = inside.list();
        const whole = await Promise.all(names.map((one) => isRead(() => void inside.read(one))));
        behind = whole.every(Boolean);
        await use(openRecording(inside), random);
      });
      return { read, behind };
    },
  };
}
