import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../../src/model/disk/save.ts';
import { tempFolder } from '../support/files.ts';

function folderWith(...files: string[]): string {
  const folder = tempFolder();
  for (const file of ['run.json', ...files]) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), 'old');
  }
  return folder;
}

describe('the heaps of a recording that another takes the place of', () => {
  it('go with it', () => {
    const folder = folderWith(
      'heap/0/v8.heapsnapshot',
      'heap/12/python.hwheap',
      'heap/3/python.hwheap.part',
      'heap/4/v8.heapsnapshot.go',
    );
    mkdirSync(join(folder, 'heap/5'));
    createFolder(folder, true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('go without what is somebody’s own, and no link is followed', () => {
    const folder = folderWith('heap/0/v8.heapsnapshot', 'heap/0/notes.txt', 'heap/mine/x');
    const elsewhere = folderWith('python.hwheap', 'kept/0/python.hwheap');
    symlinkSync(elsewhere, join(folder, 'heap/1'));
    createFolder(folder, true);
    expect(existsSync(join(folder, 'heap/0/v8.heapsnapshot'))).toBe(false);
    expect(readdirSync(join(folder, 'heap')).sort()).toEqual(['0', '1', 'mine']);
    expect(readFileSync(join(folder, 'heap/0/notes.txt'), 'utf8')).toBe('old');
    expect(existsSync(join(elsewhere, 'python.hwheap'))).toBe(true);
    const linked = folderWith();
    symlinkSync(join(elsewhere, 'kept'), join(linked, 'heap'));
    createFolder(linked, true);
    expect(existsSync(join(elsewhere, 'kept/0/python.hwheap'))).toBe(true);
  });
});
