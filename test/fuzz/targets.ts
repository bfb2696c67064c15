import { basename, join } from 'node:path';
import { zipSync } from 'fflate';
import type { Format } from '../../src/formats/format.ts';
import { FORMATS } from '../../src/formats/index.ts';
import { makeInput } from '../../src/formats/input.ts';
import { readTrainingLog, splitLines, withTrainingLog } from '../../src/formats/log-lines/index.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { lifetimes } from '../../src/model/allocations/lifetimes.ts';
import { stateAt } from '../../src/model/allocations/state.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import { unpack } from '../../src/model/disk/pack.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { origin } from '../../src/model/origin.ts';
import { PLAIN_TABLES } from '../../src/model/plain.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series, seriesNames } from '../../src/model/series.ts';
import { keptFiles } from '../formats/kept-files.ts';
import { memoryFiles, readFolder } from '../support/memory-files.ts';
import { allRows, isSubsequence } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { heapTargets } from './heap-targets.ts';
import { smallFileTargets } from './small-file-targets.ts';
import { expected, type Target } from './target.ts';

const FIXTURES = 'test/fixtures';

/** Every format that reads, the recording's folder, the packed recording, logs, heaps, files of a few lines. */
export function targets(): Target[] {
  return [
    ...FORMATS.filter((format) => format.read).map(formatTarget),
    folderTarget(),
    packedTarget(),
    logTarget(),
    ...heapTargets(),
    ...smallFileTargets(),
  ];
}

function formatTarget(format: Format): Target {
  const small = sampleRecording(12);
  const tables = format.defaultTable ? [format.defaultTable, ...PLAIN_TABLES] : [undefined];
  const written = tables.flatMap((table) => {
    const pieces = format.write ? [...format.write(small, { table })] : [];
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)));
    return bytes.length > 0 ? [{ label: table ?? format.id, bytes: new Uint8Array(bytes) }] : [];
  });
  return {
    id: format.id,
    seeds: [
      ...written,
      ...keptFiles(format.id).map(({ path, bytes }) => ({ label: basename(path), bytes })),
    ],
    attempt: (label, bytes) =>
      expected(async () => useAll(await format.read!(makeInput(label, () => [bytes])))),
  };
}

function folderTarget(): Target {
  const files = readFolder(join(FIXTURES, 'recordings/v3.hw'));
  const rows = allRows(openRecording(memoryFiles(files)));
  return {
    id: 'recording',
    seeds: [...files].map(([label, bytes]) => ({ label, bytes })),
    attempt: (label, bytes) =>
      expected(() =>
        useTrue(openRecording(memoryFiles(new Map([...files, [label, bytes]]))), rows),
      ),
  };
}

function packedTarget(): Target {
  const files = readFolder(join(FIXTURES, 'recordings/v3.hw'));
  const rows = allRows(openRecording(memoryFiles(files)));
  const bytes = zipSync(Object.fromEntries(files), { level: 6 });
  return {
    id: 'packed',
    seeds: [{ label: 'v3.hwz', bytes }],
    attempt: (label, mutant) => expected(() => useTrue(openRecording(unpack(label, mutant)), rows)),
  };
}

/** A training's log laid over samples, as `import --log` does it. */
function logTarget(): Target {
  const { bytes: free } = keptFiles('free-log').find(({ path }) => path.includes('3.3.9'))!;
  const samples = FORMATS.find((format) => format.id === 'free-log')!;
  return {
    id: 'training-log',
    seeds: keptFiles('training-log').map(({ path, bytes }) => ({ label: basename(path), bytes })),
    attempt: (label, bytes) =>
      expected(async () => {
        const recording = await samples.read!(makeInput('free.log', () => [free]));
        const splitter = splitLines();
        const log = readTrainingLog(label, [...splitter.push(bytes), ...splitter.end()]);
        useAll(withTrainingLog(recording, log, { fileTime: 1_461_693_230 }));
      }),
  };
}

/** Does what every command does with a recording. */
function useAll(recording: Recording): void {
  allRows(recording);
  for (const name of seriesNames(recording)) series(recording, name);
  if (!Number.isFinite(origin(recording).ns)) throw new Error('no origin');
  for (const trace of traces(recording)) {
    lifetimes(trace);
    summary(trace);
    stateAt(trace, trace.events - 1);
  }
  for (const name of recording.tables) {
    const table = recording.table(name);
    // Allocation events have an order of their own, and in some files no times.
    if (name === 'allocations' || !table.has('time')) continue;
    const times = table.f64('time');
    if (times.some((time, i) => !(time >= (times[i - 1] ?? time)))) {
      throw new Error(`times of ${name} go back`);
    }
  }
}

/** As useAll, for readers that check sums: no row may be wrong, and no loss may go unsaid. */
function useTrue(recording: Recording, rows: ReadonlyMap<string, readonly string[]>): void {
  useAll(recording);
  const found = allRows(recording);
  for (const [name, whole] of rows) {
    const part = found.get(name as never) ?? [];
    if (!isSubsequence(part, whole)) throw new Error(`wrong rows in ${name}`);
    const said = recording.damage.some((line) => line.includes(name));
    if (part.length < whole.length && !said) throw new Error(`rows of ${name} lost unsaid`);
  }
}
