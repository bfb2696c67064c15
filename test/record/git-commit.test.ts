import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitCommit } from '../../src/record/workload/git-commit.ts';
import { tempFolder } from '../support/files.ts';
import { highwater, readRun } from '../support/recorder.ts';

const git = (cwd: string, ...words: string[]) => {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@t.invalid', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...words], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
};

function repository(): { folder: string; commit: string } {
  const folder = tempFolder();
  git(folder, 'init', '-q', '-b', 'feature/deep');
  writeFileSync(join(folder, 'train.py'), '');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
  return { folder, commit: git(folder, 'rev-parse', 'HEAD') };
}

describe('the commit that a run is of', () => {
  it('is that of the working copy, as git says it', () => {
    const { folder, commit } = repository();
    mkdirSync(join(folder, 'src/models'), { recursive: true });
    expect(gitCommit(folder, {})).toBe(commit);
    expect(gitCommit(join(folder, 'src/models'), {})).toBe(commit);
    git(folder, 'pack-refs', '--all');
    expect(gitCommit(folder, {})).toBe(commit);
    git(folder, 'checkout', '-q', '--detach');
    expect(gitCommit(folder, {})).toBe(commit);
  });

  it('is told of a worktree, whose branches are elsewhere', () => {
    const { folder } = repository();
    const other = join(tempFolder(), 'other');
    git(folder, 'worktree', 'add', '-q', '-b', 'side', other);
    writeFileSync(join(other, 'more.py'), '');
    git(other, 'add', '.');
    git(other, 'commit', '-q', '-m', 'second');
    expect(gitCommit(other, {})).toBe(git(other, 'rev-parse', 'HEAD'));
  });

  it('is what the build says where there is no working copy, else not known', () => {
    const folder = tempFolder();
    expect(gitCommit(folder, {})).toBeNull();
    expect(gitCommit(folder, { GITHUB_SHA: 'c0ffee'.repeat(6).padEnd(40, '0') })).toMatch(
      /^c0ffee/,
    );
    expect(gitCommit(folder, { GITHUB_SHA: 'main; rm -rf' })).toBeNull();
  });

  it('is read of plain files alone', () => {
    const { folder } = repository();
    rmSync(join(folder, '.git/HEAD'));
    symlinkSync('/dev/zero', join(folder, '.git/HEAD'));
    expect(gitCommit(folder, {})).toBeNull();
    rmSync(join(folder, '.git/HEAD'));
    writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/../../../etc/passwd\n');
    expect(gitCommit(folder, {})).toBeNull();
  });

  it('is a label of the recording', async () => {
    const { folder, commit } = repository();
    const out = join(tempFolder(), 'run.hw');
    const { code } = await highwater(['record', '-o', out, '--', 'true'], { cwd: folder });
    expect(code).toBe(0);
    expect(readRun(out).labels.commit).toBe(commit);
  });
});
