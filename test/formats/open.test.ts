import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { orUserError } from '../../src/model/disk/files.ts';
import { packFolder } from '../../src/model/disk/pack.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import { locate } from '../../src/open/locate.ts';
import { openInput } from '../../src/open/open.ts';
import { findNewest } from '../../src/open/recordings.ts';
import { tempFolder } from '../support/files.ts';
import { sampleRecording } from '../support/sample-recording.ts';

function recordingIn(folder: string, name: string, startedAt = '2026-01-01T00:00:00Z'): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  const recording = sampleRecording(3);
  saveRecording({ ...recording, run: { ...recording.run, name, startedAt } }, path);
  return path;
}

function file(name: string, bytes: string | Uint8Array): string {
  const path = join(tempFolder(), name);
  writeFileSync(path, bytes);
  return path;
}

const CSV = 'seconds,mem_used\n0,1\n1,2\n';

describe('opens', () => {
  it('a recording, a folder with one, and a packed one', async () => {
    const folder = tempFolder();
    const path = recordingIn(folder, 'a.hw');
    packFolder(path, join(folder, 'a.hwz'), false);
    for (const argument of [path, folder, join(folder, 'a.hwz')]) {
      expect((await openInput(argument)).run.name).toBe('a.hw');
    }
  });

  it('a recording without run.json', async () => {
    const path = recordingIn(tempFolder(), 'a.hw');
    writeFileSync(join(path, 'run.json'), '');
    expect((await openInput(path)).table('host').rows).toBe(3);
  });

  it.each([
    ['mem.csv', CSV],
    ['mem.txt', CSV],
    ['mem.csv.gz', gzipSync(CSV)],
    ['mem', gzipSync(CSV)],
  ])('a file by its content: %s', async (name, bytes) => {
    expect((await openInput(file(name, bytes))).table('host').rows).toBe(2);
  });
});

describe('says in one line what is wrong with', () => {
  const folder = () => {
    const path = tempFolder();
    for (const name of ['a.hw', 'b.hw', 'c.hw', 'd.hw', 'e.hw', 'f.hw']) recordingIn(path, name);
    return path;
  };
  it.each<[string, () => string, RegExp]>([
    ['nothing there', () => 'no/such/place', /^there is no file or folder no\/such\/place$/],
    ['an empty file', () => file('x.csv', ''), /x\.csv is empty$/],
    ['a folder without recordings', tempFolder, /is no recording, and has none in it$/],
    [
      'many recordings',
      folder,
      /holds 6 recordings: a\.hw, b\.hw, c\.hw, d\.hw, e\.hw and 1 more$/,
    ],
    ['a device', () => '/dev/null', /^\/dev\/null is neither a file nor a folder$/],
    ['a format nobody knows', () => file('x.bin', '\x00\x01\x02\x03'), /no format that Highwater/],
    ['a header nobody knows', () => file('x.csv', 'a,b\n1,2\n'), /^x\.csv: no table is known/],
    ['a damaged gzip', () => file('x.gz', gzipSync(CSV).subarray(0, 30)), /is a damaged gzip file/],
    [
      'a broken pack',
      () => file('x.hwz', 'PK\x03\x04 and no more'),
      /not a whole packed recording/,
    ],
    ['a file inside a file', () => join(file('x.csv', CSV), 'y'), /: not a folder$/],
  ])('%s', async (_, path, message) => {
    await expect(openInput(path())).rejects.toThrow(message);
    await expect(openInput(path())).rejects.toMatchObject({ exitCode: 2 });
  });

  it('a file that may not be read', () => {
    const denied = () => {
      throw Object.assign(new Error('EACCES: open'), { code: 'EACCES' });
    };
    expect(() => orUserError('x.csv', denied)).toThrow('cannot read x.csv: permission denied');
  });
});

describe('the newest recording', () => {
  it('is the one that started last; what cannot be read does not count', () => {
    const folder = tempFolder();
    recordingIn(folder, 'old.hw', '2026-01-01T00:00:00Z');
    const newest = recordingIn(folder, 'new.hw', '2026-03-01T00:00:00Z');
    const broken = recordingIn(folder, 'zzz.hw', '2026-05-01T00:00:00Z');
    writeFileSync(join(broken, 'run.json'), '{');
    writeFileSync(join(folder, 'file.hw'), 'not a folder');
    expect(findNewest(folder)).toBe(newest);
  });

  it('is the one changed last among those that started together', () => {
    const folder = tempFolder();
    const paths = ['a.hw', 'b.hw'].map((name) => recordingIn(folder, name));
    utimesSync(join(paths[0]!, 'run.json'), 2e9, 2e9);
    expect(findNewest(folder)).toBe(paths[0]);
  });

  it('is null without any, and asking for it says how to make one', () => {
    expect(findNewest(join(tempFolder(), 'none'))).toBeNull();
    const here = process.cwd();
    const { HOME, TMPDIR } = process.env;
    process.chdir(tempFolder());
    process.env.HOME = tempFolder();
    process.env.TMPDIR = tempFolder();
    try {
      expect(() => locate(undefined)).toThrow('there is no recording in ./highwater-runs');
      const path = recordingIn('highwater-runs', 'a.hw');
      expect(locate(undefined)).toEqual({ path, kind: 'folder' });
      // Where `record` goes when it cannot write here: the home, and then a folder of its own among temporary ones.
      const inHome = recordingIn(join(process.env.HOME, 'highwater-runs'), 'b.hw');
      utimesSync(join(path, 'run.json'), 1e9, 1e9);
      expect(locate(undefined).path).toBe(inHome);
      const temporary = recordingIn(join(process.env.TMPDIR, 'highwater-aB3dE9'), 'c.hw');
      utimesSync(join(temporary, 'run.json'), 2e9, 2e9);
      expect(locate(undefined).path).toBe(temporary);
    } finally {
      Object.assign(process.env, { HOME, TMPDIR });
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      process.chdir(here);
    }
  });
});
