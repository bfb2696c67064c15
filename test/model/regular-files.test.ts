import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { folderFiles, replaceFile } from '../../src/model/disk/files.ts';
import { packFolder } from '../../src/model/disk/pack.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import { unpack } from '../../src/model/disk/unpack.ts';
import { findNewest } from '../../src/open/recordings.ts';
import { savedFiles, tempFolder } from '../support/files.ts';
import { highwater } from '../support/recorder.ts';
import { sampleRecording } from '../support/sample-recording.ts';

/** A recording of which one file is something else. */
function folderWith(name: string, make: (path: string) => void): string {
  const folder = tempFolder();
  saveRecording(sampleRecording(), folder);
  rmSync(join(folder, name), { force: true });
  make(join(folder, name));
  return folder;
}

const aSecret = () => {
  const path = join(tempFolder(), 'secret.txt');
  writeFileSync(path, 'keep me');
  return path;
};

describe('a recording from somebody else', () => {
  it.each([
    ['a link', (path: string) => symlinkSync(aSecret(), path)],
    ['a link', (path: string) => symlinkSync('/dev/zero', path)],
    ['no regular file', (path: string) => execFileSync('mkfifo', [path])],
  ])('with %s among its files is neither read nor packed', (what, make) => {
    for (const name of ['run.json', 'host.arrow']) {
      const folder = folderWith(name, make);
      expect(() => openRecording(folderFiles(folder)).table('host')).toThrow(what);
      const out = join(tempFolder(), 'x.hwz');
      expect(() => packFolder(folder, out, false)).toThrow(what);
      if (name === 'run.json') expect(findNewest(join(folder, '..'))).not.toBe(folder);
    }
  });

  it('whose folder of heaps is a link is not packed with them', () => {
    const folder = folderWith('heap', (path) => symlinkSync(tempFolder(), path));
    const heap = ['heap/0/python.hwheap'];
    expect(() => packFolder(folder, join(tempFolder(), 'x.hwz'), false, heap)).toThrow('a link');
  });

  it('cannot have us write through a link', () => {
    const victim = aSecret();
    for (const name of ['run.json.new', 'host.arrow', 'host.idx']) {
      const folder = folderWith(name, (path) => symlinkSync(victim, path));
      saveRecording(sampleRecording(), folder);
      expect(lstatSync(join(folder, 'host.arrow')).isFile()).toBe(true);
    }
    const file = join(tempFolder(), 'x.json');
    symlinkSync(victim, `${file}.new`);
    replaceFile(file, 'mine');
    expect([readFileSync(file, 'utf8'), readFileSync(victim, 'utf8')]).toEqual(['mine', 'keep me']);
  });
});

describe('a pack', () => {
  it('with a member that unfolds to more than its kind does is refused', () => {
    const packed = zipSync(Object.fromEntries(savedFiles(sampleRecording())));
    const large = (name: string, bytes: number) => {
      const changed = Buffer.from(packed);
      changed.writeUInt32LE(bytes, changed.lastIndexOf(name) - 46 + 24);
      return unpack('x.hwz', new Uint8Array(changed));
    };
    expect(() => large('run.json', 40 << 20).read('run.json')).toThrow('unfolds to 40');
    expect(() => large('host.arrow', 160 << 20).read('host.arrow')).toThrow('unfolds to 160');
    expect(openRecording(large('host.arrow', 160 << 20)).table('host').rows).toBe(0);
    expect(() => large('host.arrow', 1 << 30)).toThrow('more than a recording does');
  });

  it('of which nothing can be read is no recording', () => {
    const files = Object.entries(Object.fromEntries(savedFiles(sampleRecording())));
    const noise = files.map(([name, bytes]) => [name, bytes.map((byte) => byte ^ 0x55)] as const);
    const pack = unpack('x.hwz', zipSync(Object.fromEntries(noise)));
    expect(() => openRecording(pack)).toThrow(/x.hwz is damaged, and nothing of it can be read/);
    const run = files.find(([name]) => name === 'run.json')!;
    const named = { ...Object.fromEntries(noise), [run[0]]: run[1] };
    expect(() => openRecording(unpack('x.hwz', zipSync(named)))).toThrow(
      /nothing of it can be read/,
    );
    // Of a run that was never sampled there is nothing to lose.
    expect(openRecording(unpack('x.hwz', zipSync({ [run[0]]: run[1] }))).damage).toEqual([]);
    const some = { ...Object.fromEntries(noise), ...Object.fromEntries(files.slice(1)) };
    expect(openRecording(unpack('x.hwz', zipSync(some))).damage).toBeDefined();
  });
});

describe('-o -', () => {
  it('is standard output for an export, and no name for a pack', async () => {
    const folder = tempFolder();
    saveRecording(sampleRecording(), folder);
    const cwd = tempFolder();
    const csv = await highwater(['export', folder, '--to', 'csv', '-o', '-'], { cwd });
    expect([csv.code, String(csv.stdout)]).toEqual([0, expect.stringMatching(/^seconds,/)]);
    const pack = await highwater(['pack', folder, '-o', '-'], { cwd });
    expect([pack.code, pack.stderr]).toEqual([2, expect.stringContaining('name a file')]);
  });
});
