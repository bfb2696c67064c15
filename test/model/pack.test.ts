import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { FormatError, UserError } from '../../src/base/errors.ts';
import { packedFiles, packFolder } from '../../src/model/disk/pack.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import { looksPacked, unpack } from '../../src/model/disk/unpack.ts';
import { savedFiles, tempFolder } from '../support/files.ts';
import { allRows, isSubsequence } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';

function packed(): { folder: string; path: string; bytes: Uint8Array } {
  const folder = tempFolder();
  saveRecording(sampleRecording(), folder);
  writeFileSync(join(folder, 'private-notes.txt'), 'mine');
  const path = join(tempFolder(), 'x.hwz');
  packFolder(folder, path, false);
  return { folder, path, bytes: new Uint8Array(readFileSync(path)) };
}

/** The place of a zip's central entry of that name, 46 bytes before it. */
function centralEntry(bytes: Uint8Array, name: string): number {
  return Buffer.from(bytes).lastIndexOf(name) - 46;
}

describe('a packed recording', () => {
  it('is a zip with the same rows, and nothing that is not of the recording', () => {
    const { path, bytes } = packed();
    expect(looksPacked(bytes)).toBe(true);
    const files = packedFiles(path);
    expect(files.list()).not.toContain('private-notes.txt');
    const recording = openRecording(files);
    expect([...allRows(recording)].sort()).toEqual([...allRows(sampleRecording())].sort());
    expect(recording.damage).toEqual([]);
  });

  it('is never overwritten unasked', () => {
    const { folder, path, bytes } = packed();
    expect(() => packFolder(folder, path, false)).toThrow('exists already');
    expect(packFolder(folder, path, true)).toBe(bytes.length);
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  it('says where it cannot be written', () => {
    const { folder } = packed();
    expect(() => packFolder(folder, join(folder, 'no', 'x.hwz'), false)).toThrow(
      /cannot write .*x.hwz/,
    );
  });

  it('may be cut anywhere: it opens or says that it is not whole', () => {
    const { bytes } = packed();
    for (let length = 4; length < bytes.length; length += 61) {
      expect(() => openRecording(unpack('x.hwz', bytes.subarray(0, length)))).toThrow(FormatError);
    }
  });

  it('may have any byte changed: no row is wrong, and loss is said', () => {
    const { bytes } = packed();
    const rows = allRows(sampleRecording());
    for (let at = 0; at < bytes.length; at += 31) {
      const changed = bytes.slice();
      changed[at]! ^= 1 << (at & 7);
      try {
        const recording = openRecording(unpack('x.hwz', changed));
        for (const [name, part] of allRows(recording)) {
          expect(isSubsequence(part, rows.get(name)!)).toBe(true);
          if (part.length < rows.get(name)!.length) expect(recording.damage).not.toEqual([]);
        }
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
      }
    }
  });

  it('loses only the table whose entry is damaged', () => {
    const { bytes } = packed();
    const start = Buffer.from(bytes).indexOf('marks.arrow') + 'marks.arrow'.length;
    bytes.fill(0xff, start + 20, start + 60);
    const recording = openRecording(unpack('x.hwz', bytes));
    expect(recording.table('marks').rows).toBe(0);
    expect(recording.table('host').rows).toBe(40);
    expect(recording.damage.join()).toMatch(/table marks/);
  });

  it('with an entry that lies about its size is refused', () => {
    const { bytes } = packed();
    const size = { at: centralEntry(bytes, 'host.arrow') + 24, view: new DataView(bytes.buffer) };
    size.view.setUint32(size.at, 0x1000000, true);
    expect(() => unpack('x.hwz', bytes).read('host.arrow')).toThrow(
      'host.arrow in x.hwz: it lies about its size',
    );
    size.view.setUint32(size.at, 0xfffffff0, true);
    expect(() => unpack('x.hwz', bytes)).toThrow('x.hwz unfolds to 4.00 GiB, more than');
  });

  it('with an entry that is larger than it says is refused or damaged, not believed', () => {
    const { bytes } = packed();
    new DataView(bytes.buffer).setUint32(centralEntry(bytes, 'host.arrow') + 24, 100, true);
    const recording = openRecording(unpack('x.hwz', bytes));
    expect(recording.table('host').rows).toBe(0);
    expect(recording.damage.join()).toContain('host.arrow in x.hwz: it is damaged');
  });

  it('cannot name files elsewhere', () => {
    const evil = zipSync({
      ...Object.fromEntries(savedFiles(sampleRecording())),
      '../evil.arrow': new Uint8Array([1]),
      '/etc/evil.idx': new Uint8Array([1]),
      'a/run.json': new Uint8Array([1]),
    });
    const names = unpack('evil.hwz', evil).list();
    expect(names.filter((name) => !/^[a-z_]+\.(json|arrow|idx)$/.test(name))).toEqual([]);
    expect(names).toContain('host.arrow');
  });

  it('with a directory that hides files is refused', () => {
    const { bytes } = packed();
    const end = Buffer.from(bytes).lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
    for (const count of [3, 65_535]) {
      new DataView(bytes.buffer).setUint16(end + 10, count, true);
      expect(() => unpack('x.hwz', bytes)).toThrow('x.hwz is not a whole packed recording');
    }
  });

  it('of something else is no recording', () => {
    const other = zipSync({ 'a.txt': new Uint8Array([1]) });
    expect(() => openRecording(unpack('a.zip', other))).toThrow('a.zip is not a recording');
  });
});
