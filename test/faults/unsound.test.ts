import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createFolder, saveRecording } from '../../src/model/disk/save.ts';
import { highwater, place } from '../support/recorder.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const SAMPLED = ['host', 'process', 'cgroup', 'gpu', 'gpu_process'] as const;

/** A recording whose checksums are right and in which a time is not. */
function withTime(time: number): string {
  const recording = sampleRecording(40);
  for (const name of SAMPLED) recording.table(name).f64('time')[7] = time;
  const folder = place();
  createFolder(folder, false);
  saveRecording(recording, folder);
  return folder;
}

it.concurrent.each([Number.NaN, 1e300])(
  'a time of %s behind a checksum that fits keeps no command busy for ever',
  async (time) => {
    const folder = withTime(time);
    const [picture, page] = [place('timeline.svg'), place('page.html')];
    const lost =
      'table process: 1 row with a time that is none or goes back left out, 79 rows kept';
    const report = await highwater(['report', folder]);
    expect(report.code).toBe(0);
    expect(String(report.stdout)).toContain(lost);
    const check = await highwater(['check', folder, '--peak', 'tree<=1GiB']);
    expect(String(check.stdout)).toContain(lost);
    const plot = await highwater(['plot', folder, '-o', picture]);
    expect([plot.code, existsSync(picture)]).toEqual([0, true]);
    const html = await highwater(['report', folder, '--html', page]);
    expect([html.code, existsSync(page)]).toEqual([0, true]);
  },
);
