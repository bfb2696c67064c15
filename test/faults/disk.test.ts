import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { locateGroup } from '../../src/sources/cgroup/location.ts';
import { THIS_MACHINE } from '../../src/sources/source.ts';
import { where } from '../support/programs.ts';
import { highwater, open, place, shortFlags, start, until } from '../support/recorder.ts';
import { runLine, shell } from '../support/shell.ts';
import { lackOfMount, mountTmpfs } from './mount.ts';

/** A disk of one mebibyte. */
function tinyDisk(): string {
  const folder = place('disk');
  mkdirSync(folder);
  mountTmpfs(folder);
  onTestFinished(() => void execFileSync('umount', [folder]));
  return folder;
}

const withTinyDisk = where(lackOfMount());

const STEPS = 'for i in 1 2 3 4 5 6 7 8 9 10; do echo step $i; sleep 0.2; done; exit 9';

/** Records into a folder that soon takes no more; `limit` is a shell's command before it. */
async function recordsUntilFull(folder: string, rate: number, limit = ''): Promise<string> {
  const flags = [...shortFlags(folder), '--rate', `${rate}`, '--', 'sh', '-c', STEPS];
  const output = await runLine(`${limit}${shell(...flags)} 2>&1; echo code $?`);
  const lines = output.trim().split('\n');
  expect(lines.filter((line) => line.startsWith('step'))).toHaveLength(10);
  expect(lines.at(-1)).toBe('code 9');
  const ours = lines.filter((line) => line.startsWith('highwater: '));
  expect(ours).toHaveLength(1);
  expect(lines).toHaveLength(12);

  const recording = open(folder);
  expect(recording.table('host').rows).toBeGreaterThan(10);
  expect(recording.damage).toEqual([]);
  const report = await highwater(['report', folder]);
  expect(report.code).toBe(0);
  expect(report.stderr).toBe('');
  expect(String(report.stdout)).toMatch(
    /^Incomplete: the recording stops at .* exited with code 9/,
  );
  const check = await highwater(['check', folder, '--peak', 'tree<=9GiB']);
  expect(check.code).toBe(4);
  return ours[0]!;
}

describe('a disk that runs full', () => {
  withTinyDisk(
    'costs one clear line, and neither the command nor what was recorded before',
    async () => {
      const disk = tinyDisk();
      writeFileSync(join(disk, 'filler'), Buffer.alloc(880_000));
      expect(await recordsUntilFull(join(disk, 'run.hw'), 1000)).toMatch(
        /stops here: .*no space left on the disk \(ENOSPC\).*; the workload goes on$/,
      );
    },
  );

  withTinyDisk(
    'that is full from the start keeps the command from being run, where that is wanted',
    async () => {
      const disk = tinyDisk();
      expect(() => writeFileSync(join(disk, 'filler'), Buffer.alloc(2_000_000))).toThrow('ENOSPC');
      const argv = [...shortFlags(join(disk, 'run.hw')), '--strict', '--', 'echo', 'ran'];
      const { child, finished } = start(argv);
      const { code, stdout, stderr } = await finished;
      expect(code).toBe(125);
      expect(String(stdout)).toBe('');
      expect(stderr).toMatch(/^highwater: cannot write .*no space left.*\n$/);
      const group = locateGroup(THIS_MACHINE);
      const groups = group ? readdirSync(group.folder) : [];
      expect(groups.filter((name) => name.startsWith(`highwater-${child.pid}-`))).toEqual([]);
    },
  );
});

describe('a limit on the size of files', () => {
  it('costs one clear line, and neither the command nor what was recorded before', async () => {
    // Of 512 bytes: more than the largest table's first second and less than its two, at half a KiB a row.
    const blocks = 160;
    expect(await recordsUntilFull(place(), 100, `ulimit -f ${blocks}; `)).toMatch(
      /stops here: .*; the workload goes on$/,
    );
  });

  it('of zero keeps the command from being run, where that is wanted', async () => {
    const argv = shell(...shortFlags(place()), '--strict', '--', 'echo', 'ran');
    const output = await runLine(`ulimit -f 0; ${argv} 2>&1; echo code $?`);
    expect(output).toMatch(/^highwater: cannot write .*\ncode 125\n$/);
  });
});

describe.concurrent('a place that cannot be written, with --strict', () => {
  const refused = async (out: string, options = {}) => {
    const ran = await highwater([...shortFlags(out), '--strict', '--', 'echo', 'ran'], options);
    expect(ran.code).toBe(125);
    expect(String(ran.stdout)).toBe('');
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    return ran.stderr;
  };

  it('is refused before the command is run', async () => {
    const closed = place('closed');
    mkdirSync(closed, { mode: 0o555 });
    expect(await refused(join(closed, 'run.hw'), { ordinary: true })).toContain(
      'permission denied',
    );
    expect(await refused('/proc/run.hw')).toContain('/proc/run.hw');
  });

  it('is refused when a file is in its place, or on the way', async () => {
    const file = place('file');
    writeFileSync(file, 'precious');
    expect(await refused(file)).toContain('exists already');
    expect(await refused(join(file, 'deeper.hw'))).toContain('not a folder');
    const forced = await highwater([
      ...shortFlags(file),
      '--strict',
      '--force',
      '--',
      'echo',
      'ran',
    ]);
    expect(forced.code).toBe(125);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  it('and a folder that is removed meanwhile does not harm the command', async () => {
    const folder = place();
    const { child, finished } = start([...shortFlags(folder), '--', 'sh', '-c', STEPS]);
    await new Promise<void>((resolve) => child.stdout!.once('data', () => resolve()));
    await until(() => existsSync(join(folder, 'host.arrow')));
    await until(() => removed(folder));
    const { code, stdout, stderr } = await finished;
    expect(code).toBe(9);
    expect(String(stdout)).toMatch(/step 10\n$/);
    expect(stderr).toMatch(
      /^highwater: the recording in .* stops here: no such file or folder.*\n$/,
    );
  });
});

/** False when a new file came into the folder while it was being removed. */
function removed(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true });
    return true;
  } catch {
    return false;
  }
}
