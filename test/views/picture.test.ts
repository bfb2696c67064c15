import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { timeline } from '../../src/analyses/timeline.ts';
import { defaultPicture, pictureKind, writePicture } from '../../src/cli/output/picture.ts';
import { timelineChart } from '../../src/views/chart/timeline/timeline.ts';
import { drawRecording } from '../analyses/drawn.ts';

const folder = mkdtempSync(join(tmpdir(), 'highwater-picture-'));
afterAll(() => rmSync(folder, { recursive: true }));

const recording = drawRecording({ at: [0, 1], processes: [{ pid: 1, rss: [1, 2] }] });
const scene = timelineChart(timeline(recording, ['tree.rss']), {
  title: 'T <&> \x00',
  width: 400,
  height: 300,
});

describe('pictures', () => {
  it('are SVG or PNG, by their name', async () => {
    await writePicture(join(folder, 'a.svg'), scene, 2);
    expect(readFileSync(join(folder, 'a.svg'), 'utf8')).toMatch(/^<svg /);
    await writePicture(join(folder, 'a.PNG'), scene, 2);
    const png = readFileSync(join(folder, 'a.PNG'));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([800, 600]);
  });

  it('are refused in one line where they cannot be', async () => {
    expect(() => pictureKind('chart.jpg')).toThrow(
      "cannot tell from 'chart.jpg' what picture to write",
    );
    await expect(writePicture(join(folder, 'no', 'a.svg'), scene, 2)).rejects.toThrow(
      /cannot write .*a\.svg: no such file or folder/,
    );
    await expect(writePicture(join(folder, 'a.png'), scene, 200)).rejects.toThrow(
      'too many pixels',
    );
  });

  it('get a safe name from the recording', () => {
    expect(defaultPicture('train')).toBe('train.svg');
    expect(defaultPicture('../../etc/x y')).toBe('etc-x-y.svg');
    expect(defaultPicture('')).toBe('memory.svg');
  });
});
