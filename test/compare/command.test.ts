import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Comparison } from '../../src/analyses/compare/index.ts';
import * as compare from '../../src/cli/commands/compare.ts';
import * as exportCommand from '../../src/cli/commands/export.ts';
import * as plot from '../../src/cli/commands/plot.ts';
import type { VerbModule } from '../../src/cli/verb.ts';
import { createFolder, saveRecording } from '../../src/model/disk/save.ts';
import { tempFolder } from '../support/files.ts';
import { gpuRun, H200 } from './runs.ts';

afterEach(() => vi.restoreAllMocks());

/** What a command printed on both streams. */
async function printed(command: VerbModule, ...argv: string[]) {
  const text = { out: '', err: '' };
  for (const [stream, key] of [
    [process.stdout, 'out'],
    [process.stderr, 'err'],
  ] as const) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      text[key] += String(chunk);
      return true;
    });
  }
  const code = await command.run(argv);
  vi.restoreAllMocks();
  return { ...text, code };
}

const log = (name: string) => join(H200, `memory_${name}.txt`);

describe('highwater compare', () => {
  it('a missing and an unreadable one are named and skipped, the rest go on', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'memory_notes.txt'), 'hello\nworld\n');
    writeFileSync(join(folder, 'memory_empty.txt'), '');
    const wrong = ['notes', 'empty', 'gone'].map((name) => join(folder, `memory_${name}.txt`));
    const { out, err, code } = await printed(compare, log('fft'), ...wrong, log('cudnn'), '--json');
    const result = JSON.parse(out) as Comparison;
    expect(code).toBe(0);
    expect(result.runs.map(({ name }) => name)).toEqual(['fft', 'cudnn']);
    expect(result.skipped.map(({ name }) => name)).toEqual(wrong);
    expect(err).toMatch(/skipped: .*memory_notes.txt is of no format/);
    expect(err).toMatch(/skipped: .*memory_empty.txt is empty/);
    expect(err).toMatch(/skipped: there is no file or folder .*memory_gone.txt/);
  });

  it('a folder of logs, whatever else lies in it', async () => {
    const folder = tempFolder();
    for (const name of ['fft', 'direct'])
      copyFileSync(log(name), join(folder, `memory_${name}.txt`));
    writeFileSync(join(folder, 'README.md'), '# five variants\n');
    const { out, err } = await printed(compare, folder, '--json');
    expect((JSON.parse(out) as Comparison).runs.map(({ name }) => name)).toEqual(['direct', 'fft']);
    expect(err).toBe('');
  });

  it('recordings, a folder of them, and a picture beside', async () => {
    const folder = tempFolder();
    for (const [name, peak] of [
      ['batch=8', 100],
      ['batch=16', 190],
    ] as const) {
      const place = join(folder, 'runs', `${name}.hw`);
      mkdirSync(join(folder, 'runs'), { recursive: true });
      createFolder(place, false);
      saveRecording(gpuRun(name, { 0: [10, peak, 10] }).recording, place);
    }
    const picture = join(folder, 'both.svg');
    const { out } = await printed(compare, join(folder, 'runs'), '-o', picture, '--markdown');
    expect(out).toContain('**16 peaks highest: 180 MiB above its baseline');
    expect(readFileSync(picture, 'utf8')).toContain('16: peak 180 MiB at 1.00 s');
  });

  it('--interval, --gpus and --against', async () => {
    const told = ['--interval', '0.02', '--gpus', '2', '--json', '--against', 'fft'];
    const { out } = await printed(compare, log('fft'), log('cudnn'), ...told);
    const { runs, differences } = JSON.parse(out) as Comparison;
    expect(runs[0]).toMatchObject({ samples: 897, intervalSeconds: 0.02, durationSeconds: 17.92 });
    expect(differences.map(({ a, b }) => [a, b])).toEqual([['fft', 'cudnn']]);
  });

  it.each<[string[], RegExp]>([
    [['nowhere.txt'], /nothing to compare: there is no file or folder nowhere.txt/],
    [
      [log('fft'), '--series', 'tree.pss'],
      /nothing to compare: memory_fft: it has no series 'tree.pss', but gpu0.used/,
    ],
    [[log('fft'), '-o', 'x.gif'], /what picture to write/],
    [[log('fft'), '--against', 'x'], /there is no run 'x'/],
    [[], /missing required argument/],
  ])('%j is refused with one line', async (argv, message) => {
    await expect(compare.run(argv)).rejects.toThrow(message);
  });
});

describe('highwater plot', () => {
  it('lays several inputs, or a folder of logs, over each other', async () => {
    const folder = tempFolder();
    const [a, b] = [join(folder, 'a.svg'), join(folder, 'b.svg')];
    await printed(plot, log('fft'), log('cudnn'), '-o', a, '--absolute');
    expect(readFileSync(a, 'utf8')).toContain('fft: peak 11,619 MiB');
    await printed(plot, H200, '-o', b);
    expect(readFileSync(b, 'utf8')).toContain('GPU memory of 5 runs');
  });

  it('draws one log of a GPU as a timeline', async () => {
    const out = join(tempFolder(), 'one.svg');
    await printed(plot, log('fft'), '-o', out, '--interval', '0.1');
    expect(readFileSync(out, 'utf8')).toMatch(/peak 11\.3 GiB · at 2 min 33 s/);
  });

  it('takes one recording for --fields', async () => {
    await expect(plot.run([log('fft'), log('cudnn'), '--fields'])).rejects.toThrow(/one recording/);
  });
});

describe('highwater export --to nvidia-smi', () => {
  it('into a folder: memory_<name>.txt, as the original logger wrote it', async () => {
    const folder = tempFolder();
    const { out, err } = await printed(
      exportCommand,
      log('im2col'),
      '--to',
      'nvidia-smi',
      '-o',
      folder,
    );
    const file = join(folder, 'memory_im2col.txt');
    expect(out).toBe(`${file}\n`);
    expect(err).toMatch(/a line each sample, 10 ms apart/);
    expect(existsSync(file) && readFileSync(file)).toEqual(readFileSync(log('im2col')));
  });
});
