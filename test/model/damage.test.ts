import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { savedFiles } from '../support/files.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { allRows, isSubsequence, rowTexts } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { smallRecordingFiles } from '../support/small-recording.ts';

/**
 * A recording is most wanted after a crash. Whatever is cut or flipped: it opens or says why not,
 * each row it returns is one that was written, and what is missing is said.
 */

const files = smallRecordingFiles();
const original = openRecording(memoryFiles(files));
const rows = allRows(original);

/** Opens a damaged copy and compares the table that the damaged file belongs to. */
function expectTruth(damaged: ReadonlyMap<string, Uint8Array>, file: string, what: string): void {
  const table = [...rows.keys()].find((name) => file.startsWith(`${name}.`)) ?? 'host';
  const whole = rows.get(table)!;
  try {
    const recording = openRecording(memoryFiles(damaged));
    const part = rowTexts(recording.table(table));
    if (!isSubsequence(part, whole)) throw new Error(`${file} ${what}: wrong rows`);
    if (part.length < whole.length && !recording.damage.some((line) => line.includes(table))) {
      throw new Error(`${file} ${what}: ${whole.length - part.length} rows lost unsaid`);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
}

const replaced = (name: string, bytes: Uint8Array) => new Map([...files, [name, bytes]]);

describe.each([...files.keys()])('%s', (name) => {
  const bytes = files.get(name)!;

  it('may be cut at every byte', () => {
    for (let length = 0; length < bytes.length; length++) {
      expectTruth(replaced(name, bytes.subarray(0, length)), name, `cut at ${length}`);
    }
  });

  it('may have any bit flipped', () => {
    for (let bit = 0; bit < bytes.length * 8; bit += 1 + (bit % 3)) {
      const flipped = bytes.slice();
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      expectTruth(replaced(name, flipped), name, `bit ${bit}`);
    }
  });

  it('may be missing, empty, doubled or filled with noise', () => {
    const rest = new Map(files);
    rest.delete(name);
    expectTruth(rest, name, 'missing');
    expectTruth(replaced(name, new Uint8Array()), name, 'empty');
    expectTruth(replaced(name, new Uint8Array([...bytes, ...bytes])), name, 'doubled');
    const noise = bytes.map((_, i) => (i * 7919) & 0xff);
    expectTruth(replaced(name, noise), name, 'noise');
  });

  it('may be appended to', () => {
    expectTruth(replaced(name, new Uint8Array([...bytes, 1, 2, 3])), name, 'longer');
  });
});

describe('what is said', () => {
  it('counts lost batches and rows', () => {
    const data = files.get('host.arrow')!;
    const recording = openRecording(memoryFiles(replaced('host.arrow', data.subarray(0, -1))));
    expect(recording.table('host').rows).toBe(4);
    expect(recording.damage).toEqual([
      'table host: 1 batch damaged or cut off, 2 rows lost, 4 rows kept',
    ]);
  });

  it('rebuilds the schema of a table whose columns are known', () => {
    const data = files.get('marks.arrow')!.slice();
    data[40]! ^= 1;
    const recording = openRecording(memoryFiles(replaced('marks.arrow', data)));
    expect(allRows(recording).get('marks')).toEqual(rows.get('marks'));
    expect(recording.damage).toEqual(['table marks: its schema was damaged and rebuilt']);
  });

  it('names damaged fields of run.json, and keeps the others', () => {
    const run = { ...original.run, argv: 'not a list', warnings: [1] };
    const bytes = new TextEncoder().encode(JSON.stringify(run));
    const recording = openRecording(memoryFiles(replaced('run.json', bytes)));
    expect(recording.damage).toEqual(['run.json is damaged: argv, warnings lost']);
    expect(recording.run.argv).toEqual([]);
    expect(recording.run.name).toBe(original.run.name);
  });

  it('leaves out a table with a column of another type', () => {
    const all = savedFiles(sampleRecording(3));
    for (const ending of ['arrow', 'idx']) all.set(`host.${ending}`, all.get(`marks.${ending}`)!);
    const recording = openRecording(memoryFiles(all));
    expect(recording.table('host').rows).toBe(0);
    expect(recording.damage).toEqual(['table host has no usable column time_from: left out']);
  });

  it('refuses a folder that is no recording', () => {
    expect(() => openRecording(memoryFiles(new Map()))).toThrow('memory is not a recording');
  });
});
