import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
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

  it('are PDF, with the text that is drawn', async () => {
    const file = join(folder, 'a.pdf');
    await writePicture(file, scene, 2);
    const bytes = readFileSync(file);
    const text = bytes.toString('latin1');
    expect(text).toMatch(/^%PDF-1\.\d\n/);
    expect(text).toMatch(/\/MediaBox \[0 0 300 225\]/);
    // Every object is where the table says.
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)![1]);
    const rows = [...text.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)];
    expect(rows.length).toBeGreaterThan(10);
    for (const [i, [, offset]] of rows.entries())
      expect(text.slice(Number(offset), Number(offset) + 10)).toMatch(
        new RegExp(`^${i + 1} 0 obj`),
      );
    const streams = [
      ...text.matchAll(/\/Length (\d+) \/Filter \/FlateDecode[^>]*>>\nstream\n/g),
    ].map((found) => {
      const at = found.index + found[0].length;
      return inflateSync(bytes.subarray(at, at + Number(found[1])));
    });
    const fonts = streams.filter((one) => one.length > 300_000);
    expect(fonts).toHaveLength(2);
    // What is set, glyph by glyph, is what the map beside the font says.
    const [content] = streams.map(String).filter((one) => one.includes(' Tj'));
    const maps = streams.map(String).filter((one) => one.includes('beginbfchar'));
    const characters = new Map(
      maps
        .flatMap((map) => [...map.matchAll(/^<(....)> <(....)>$/gm)])
        .map(([, glyph, code]) => [glyph, String.fromCharCode(Number.parseInt(code!, 16))]),
    );
    const words = [...content!.matchAll(/<([0-9a-f]*)> Tj/g)].map(([, codes]) =>
      codes!.replace(/.{4}/g, (glyph) => characters.get(glyph) ?? '?'),
    );
    expect(words).toEqual(expect.arrayContaining([expect.stringContaining('Seconds since')]));
    expect(words.join(' ')).toContain('T <&>');
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
