import { describe, expect, it } from 'vitest';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { SCHEMA_VERSION } from '../../src/model/schema.ts';
import { series } from '../../src/model/series.ts';
import { type Upgraders, upgradeRun } from '../../src/model/upgrade.ts';
import { memoryFiles, readFolder } from '../support/memory-files.ts';

const fixture = (version: number) => `test/fixtures/recordings/v${version}.hw`;
const VERSIONS = Array.from({ length: SCHEMA_VERSION }, (_, i) => i + 1);

describe('a recording', () => {
  it.each(VERSIONS)('of version %i opens with the numbers it was made with', (version) => {
    const files = folderFiles(fixture(version));
    const stored = JSON.parse(new TextDecoder().decode(files.read('run.json')!)) as object;
    expect(stored).toMatchObject({ schemaVersion: version });
    const recording = openRecording(files);
    expect(recording.damage).toEqual([]);
    expect(recording.run).toMatchObject({
      schemaVersion: SCHEMA_VERSION,
      id: 'sample-1',
      name: 'sample',
      subject: 'command',
      labels: { rank: '0' },
      foldedSeconds: null,
    });
    const used = series(recording, 'host.used')!;
    expect(used.values).toHaveLength(40);
    expect(used.values.at(-1)! / 1024 ** 2).toBe(1024 + 39);
    expect(series(recording, 'tree.rss')!.values.at(-1)).toBe(2 * 39 * 4096);
    expect(recording.table('marks').rows).toBe(9);
    expect(recording.text(recording.table('marks').u32('kind')[0]!)).toBe('start');
    expect(recording.table('allocations').u64('address')[2]).toBe(2n ** 64n - 1n);
    // Version 3 brought pools, segments and blocks; others came without changing what there was.
    expect(recording.tables).toHaveLength([14, 14, 17, 21][version - 1]!);
    expect(recording.table('cgroup').f64('anon').at(-1)).toBe(version < 4 ? Number.NaN : 39 * 4000);
  });

  it('of a newer version is refused with what to do', () => {
    const files = readFolder(fixture(SCHEMA_VERSION));
    const run = JSON.parse(new TextDecoder().decode(files.get('run.json'))) as object;
    files.set('run.json', new TextEncoder().encode(JSON.stringify({ ...run, schemaVersion: 99 })));
    expect(() => openRecording(memoryFiles(files))).toThrow(
      `the recording has format version 99; this Highwater reads up to ${SCHEMA_VERSION}`,
    );
  });
});

describe('the chain of upgraders', () => {
  const chain: Upgraders = new Map([
    [2, (run) => ({ ...run, steps: `${run.steps ?? ''}2` })],
    [3, (run) => ({ ...run, steps: `${run.steps ?? ''}3` })],
    [4, (run) => ({ ...run, steps: `${run.steps ?? ''}4` })],
  ]);

  it.each([
    [1, '234'],
    [2, '34'],
    [3, '4'],
    [4, undefined],
  ])('brings version %i through every later step, in order', (schemaVersion, steps) => {
    expect(upgradeRun({ schemaVersion }, 4, chain)).toEqual(
      steps ? { schemaVersion: 4, steps } : { schemaVersion: 4 },
    );
  });

  it('has a step for every version there was', () => {
    for (let version = 1; version <= SCHEMA_VERSION; version++) {
      expect(upgradeRun({ schemaVersion: version }).schemaVersion).toBe(SCHEMA_VERSION);
    }
  });

  it.each([undefined, null, '1', 0, 1.5])('refuses version %j', (schemaVersion) => {
    expect(() => upgradeRun({ schemaVersion })).toThrow('run.json has no schemaVersion');
  });
});
