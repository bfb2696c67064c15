import { describe, expect, it } from 'vitest';
import { origin } from '../../src/model/origin.ts';
import type { Recording } from '../../src/model/recording.ts';
import { series } from '../../src/model/series.ts';
import { openInput } from '../../src/open/open.ts';

/** Files that other tools wrote (test/fixtures/programs says how), with their headline numbers. */
const open = (path: string) => openInput(`test/fixtures/formats/${path}`);
const usedMiB = (recording: Recording) =>
  Array.from(series(recording, 'host.used')!.values, (bytes) => bytes / 1024 ** 2);

describe('files of other tools', () => {
  it("pyarrow's stream, in two batches", async () => {
    const recording = await open('arrow/host-pyarrow.arrows');
    expect(usedMiB(recording)).toEqual(Array.from({ length: 40 }, (_, i) => 1024 + i));
    expect(recording.table('host').f64('MemFree')[5]).toBeNaN();
  });

  it("pyarrow's file, without notes in its schema", async () => {
    const recording = await open('arrow/marks-pyarrow.arrow');
    const names = recording.table('marks').u32('name');
    expect(Array.from(names, (id) => recording.text(id)).slice(0, 4)).toEqual([
      'start',
      '',
      'a,b',
      'say "hi"',
    ]);
  });

  it("pandas' CSV", async () => {
    const recording = await open('csv/mem_used-pandas.csv');
    expect(usedMiB(recording)[0]).toBe(1008);
    expect(origin(recording)).toEqual({ ns: 250_000_000, is: 'workload start' });
  });

  it('compressed Arrow is refused with what to do', async () => {
    await expect(open('arrow/host-lz4.feather')).rejects.toMatchObject({
      message: 'host-lz4.feather: compressed Arrow is not supported',
      hint: 'write it without compression',
    });
  });
});
