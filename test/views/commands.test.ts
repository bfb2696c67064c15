import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import * as plot from '../../src/cli/commands/plot.ts';
import * as report from '../../src/cli/commands/report.ts';
import { createFolder, saveRecording } from '../../src/model/disk/save.ts';
import { drawRecording } from '../analyses/drawn.ts';

const folder = mkdtempSync(join(tmpdir(), 'highwater-views-'));
const place = join(folder, 'drawn.hw');
createFolder(place, false);
saveRecording(
  drawRecording({
    at: [0, 1, 2],
    host: { MemTotal: [900, 900, 900], MemAvailable: [500, 300, 490] },
    processes: [{ pid: 1, role: 'main', rss: [50, 200, 60], pss: [40, 180, 50] }],
    marks: ['start@0', 'end@2'],
  }),
  place,
);
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

/** What a command printed, and its exit code. */
async function printed(command: typeof report, ...argv: string[]) {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const code = await command.run(argv);
  vi.restoreAllMocks();
  return { text, code };
}

describe('report', () => {
  it('prints for people, pages and programs', async () => {
    const text = await printed(report, place);
    expect(text.code).toBe(0);
    expect(text.text).toMatch(/^Peak 180 MiB at 1.00 s; /);
    expect((await printed(report, place, '--markdown')).text).toContain('| tree.pss | 180 MiB |');
    const json = JSON.parse((await printed(report, place, '--json')).text) as object;
    expect(Object.keys(json)).toEqual(
      expect.arrayContaining(['schemaVersion', 'recording', 'peaks', 'warnings']),
    );
  });

  it('answers wrong usage and missing input with exit code 2', async () => {
    await expect(report.run(['--nonsense'])).rejects.toMatchObject({ exitCode: 2 });
    await expect(report.run([join(folder, 'nothing.hw')])).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe('plot', () => {
  it('writes the picture and says where', async () => {
    for (const [name, ...flags] of [
      ['a.svg'],
      ['b.png', '--scale', '1'],
      ['c.svg', '--series', 'host.used, tree.rss', '--style', 'points', '--dark'],
      ['d.svg', '--fields'],
    ]) {
      const out = join(folder, name!);
      expect(await printed(plot, place, '-o', out, ...flags)).toEqual({
        text: `${out}\n`,
        code: 0,
      });
      expect(existsSync(out)).toBe(true);
    }
  });

  it.each([
    [['-o', 'x.gif'], /what picture to write/],
    [['-o', 'x.svg', '--series', 'gpu9.used'], /no series 'gpu9.used'/],
    [['-o', 'x.svg', '--style', 'bars'], /lines, points/],
    [['-o', 'x.svg', '--width', '3'], /from 320 to/],
  ])('refuses %j', async (argv, message) => {
    const refused = plot.run([place, ...argv]);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ exitCode: 2 });
  });
});
