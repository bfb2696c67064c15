import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lackOfMount } from '../faults/mount.ts';
import { lack, where } from '../support/programs.ts';
import { CLI, cleanEnv, place, SCRATCH } from '../support/recorder.ts';

/** Says something on both streams, takes its input, and ends in its own way. */
const PROGRAM = 'read line; echo "out $line $*"; echo err >&2; exit 7';
const KILLED = 'echo out; kill -TERM $$';

interface Way {
  readonly name: string;
  /** Flags of `record`. */
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Shell words that run before ours and before the bare command. */
  readonly before?: string;
  readonly cli?: string;
  /** Nothing at all can be recorded. */
  readonly unrecorded?: true;
  readonly ordinary?: true;
  /** Why it cannot be tried here. */
  readonly lack?: string | null;
}

const folder = (name: string, mode = 0o755) => {
  const path = place(name);
  mkdirSync(path, { mode });
  return path;
};
const file = (name: string) => {
  const path = place(name);
  writeFileSync(path, 'precious');
  return path;
};
const home = folder('home', 0o777);

/** The package with something missing. */
function broken(remove: (dist: string) => void): string {
  const root = folder('broken');
  cpSync(dirname(CLI), join(root, 'dist'), { recursive: true });
  cpSync(resolve('package.json'), join(root, 'package.json'));
  remove(join(root, 'dist'));
  return join(root, 'dist', 'cli.js');
}
const without = (pattern: RegExp) => (dist: string) => {
  for (const name of readdirSync(dist).filter((one) => pattern.test(one))) {
    rmSync(join(dist, name), { recursive: true });
  }
};
/** The chunk that only the verb itself is in. */
const recordVerb = /^record-\w+\.js$/;

/** Shell words after which the kernel refuses these system calls to whatever runs. */
const refused = (error: 'EPERM' | 'ENOSYS', ...calls: string[]) => ({
  before: `exec python3 ${resolve('test/support/refuse.py')} ${error} ${calls} "$0" "$@";`,
  lack: process.arch === 'x64' ? lack('python3') : 'needs the numbers of x86-64',
});
/** What a container's filter refuses, and what kernels before 5.0 do not have. */
const LATE = ['statx', 'rseq', 'copy_file_range', 'membarrier', 'memfd_create'];
const UNSAFE = ['ptrace', 'process_vm_readv', 'perf_event_open', 'unshare', 'setns'];
const NEW = ['pidfd_open', 'io_uring_setup', 'io_uring_enter', 'close_range', 'openat2'];
const NEWER = ['faccessat2', 'process_madvise', 'epoll_pwait2'];
const RANK = ['sched_setattr', 'sched_getattr', 'sched_setscheduler', 'setpriority', 'prlimit64'];
/** Shell words after which folders of the kernel's are empty. */
const emptied = (...folders: string[]) => {
  const empty = folder('empty', 0o777);
  const mounts = folders.map((one) => `mount --bind ${empty} ${one}`).join(' && ');
  return {
    before: `exec unshare -m sh -c '${mounts} && exec "$0" "$@"' "$0" "$@";`,
    lack: lack('unshare') ?? lackOfMount(),
  };
};

const WAYS: readonly Way[] = [
  { name: 'a folder that cannot be there', flags: ['-o', '/proc/nope/run.hw'] },
  { name: 'a file on the way', flags: ['-o', join(file('plain'), 'run.hw')] },
  { name: 'a file in its place', flags: ['-o', file('taken')] },
  { name: 'a folder that is there', flags: ['-o', folder('there')] },
  { name: 'somebody else’s folder, forced', flags: ['--force', '-o', '/etc'] },
  { name: 'a name that is too long', flags: ['-o', place('x'.repeat(300))] },
  {
    name: 'a folder that may not be written',
    flags: ['-o', join(folder('closed', 0o555), 'run.hw')],
    ordinary: true,
  },
  { name: 'a working folder that may not be written', cwd: '/', ordinary: true },
  {
    name: 'no home',
    flags: ['-o', '/proc/x'],
    env: { HOME: '/nowhere', TMPDIR: folder('tmp', 0o777) },
  },
  {
    name: 'no home and no temporary folder',
    unrecorded: true,
    flags: ['-o', '/proc/x'],
    env: { HOME: '/nowhere', TMPDIR: '/nowhere' },
  },
  { name: 'no temporary folder', env: { TMPDIR: '/nowhere' } },
  {
    name: 'a temporary folder with a very long name',
    env: { TMPDIR: folder('x'.repeat(200)) },
  },
  {
    name: 'a card that is not there',
    flags: ['--gpu', 'nvml'],
    env: { HIGHWATER_NVML: '/nowhere.so' },
  },
  { name: 'hardly any open files', unrecorded: true, before: 'ulimit -n 20;' },
  { name: 'very few open files', unrecorded: true, before: 'ulimit -n 75;' },
  { name: 'few open files', before: 'ulimit -n 96;' },
  { name: 'files of no size', unrecorded: true, before: 'ulimit -f 0;' },
  { name: 'little address space', before: 'ulimit -v 4000000;' },
  {
    name: 'a working folder that is gone',
    unrecorded: true,
    before: `mkdir -p ${SCRATCH}/gone; cd ${SCRATCH}/gone; rmdir ${SCRATCH}/gone;`,
  },
  { name: 'no code for the verb', unrecorded: true, cli: broken(without(recordVerb)) },
  { name: 'no code for sampling', unrecorded: true, cli: broken(without(/^sampler-thread/)) },
  { name: 'no code for writing', cli: broken(without(/^writer-thread/)) },
  { name: 'no native packages, no agent', cli: broken(() => {}) },
  {
    name: 'a link that leads in a circle',
    flags: ['-o', join(circle(), 'run.hw')],
  },
  { name: 'a filter of system calls', ...refused('EPERM', ...UNSAFE, ...NEW, ...NEWER, ...RANK) },
  { name: 'a kernel of old', ...refused('ENOSYS', 'clone3', ...NEW, ...NEWER, ...LATE, ...RANK) },
  { name: 'no inotify', ...refused('ENOSYS', 'inotify_init1') },
  { name: 'no sockets', ...refused('EPERM', 'socket') },
  { name: 'no sockets that listen', ...refused('ENOSYS', 'bind', 'listen') },
  { name: 'no way to list a folder', ...refused('EPERM', 'getdents64') },
  { name: 'no way to flush', unrecorded: true, ...refused('ENOSYS', 'fsync', 'fdatasync') },
  { name: 'no /proc', unrecorded: true, ...emptied('/proc') },
  { name: 'no /sys and no /dev/shm', ...emptied('/sys', '/dev/shm') },
];

function circle(): string {
  const path = place('circle');
  symlinkSync(path, path);
  return path;
}

function run(way: Way, words: readonly string[]): SpawnSyncReturns<string> {
  const { env, cwd = folder('cwd', 0o777), before = '', ordinary } = way;
  const as = ordinary && process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  return spawnSync('/bin/sh', ['-c', `${before} exec "$0" "$@"`, ...words], {
    cwd,
    env: cleanEnv({ HOME: home, ...env }),
    input: 'typed\n',
    encoding: 'utf8',
    ...as,
  });
}

const ours = ({ cli = CLI, flags = ['-o', place()] }: Way) => [
  ...[process.execPath, cli, 'record', '-q', '--before', '0', '--after', '0', ...flags, '--'],
];

describe('what keeps a recording from being made', () => {
  for (const way of WAYS) {
    where(way.lack ?? null)(`keeps no command from running: ${way.name}`, () => keepsRunning(way));
  }

  function keepsRunning(way: Way): void {
    for (const script of [PROGRAM, KILLED]) {
      const words = ['/bin/sh', '-c', script, 'sh', 'two words', '$x', '--'];
      const bare = run(way, words);
      const got = run(way, [...ours(way), ...words]);
      const code = bare.signal ? 143 : bare.status;
      expect({ code: got.status, stdout: got.stdout }, got.stderr).toEqual({
        code,
        stdout: bare.stdout,
      });
      const said = got.stderr.split('\n').filter((line) => line.startsWith('highwater: '));
      expect(said.length, got.stderr).toBeLessThanOrEqual(2);
      expect(got.stderr).not.toMatch(/^ {4}at /m);
      if (script === PROGRAM) expect(got.stderr).toContain('err\n');
      const elsewhere = /recorded in (\S+) instead/.exec(got.stderr)?.[1];
      if (elsewhere) expect(existsSync(join(elsewhere, 'run.json'))).toBe(true);
      expect(/runs unrecorded/.test(got.stderr)).toBe(way.unrecorded ?? false);
    }
  }

  // Each thread of ours is one process of those that a user may have; whoever has fewer than Node itself needs has none of us.
  where(lack('python3') ?? (process.getuid?.() === 0 ? null : 'needs root'))(
    'keeps no command from running: hardly any processes',
    () => {
      const limit = 'import os, resource, sys; most = int(sys.argv[1])';
      const code = `${limit}; resource.setrlimit(resource.RLIMIT_NPROC, (most, most)); os.setuid(65532); os.execvp(sys.argv[2], sys.argv[2:])`;
      const under = (most: number, words: readonly string[]) =>
        run({ name: '', cwd: '/' }, ['python3', '-c', code, String(most), ...words]);
      const words = ['/bin/sh', '-c', PROGRAM];
      const said = new Set<string>();
      for (let most = 10; said.size < 2 || !said.has('recorded'); most++) {
        const got = under(most, [...ours({ name: '' }), ...words]);
        if (got.signal) continue; // Node itself could not start
        const none = /cannot start the command: .*EAGAIN\n$/.test(got.stderr);
        expect([got.status, got.stdout], got.stderr).toEqual(
          none ? [126, ''] : [7, 'out typed \n'],
        );
        said.add(none ? 'none' : /runs unrecorded/.test(got.stderr) ? 'unrecorded' : 'recorded');
      }
      expect(said).toContain('unrecorded');
    },
  );

  it('costs nobody anything that was there', () => {
    const taken = file('taken');
    run({ name: '' }, [...ours({ name: '', flags: ['-o', taken] }), 'true']);
    expect(statSync(taken).size).toBe('precious'.length);
  });

  it('leaves no empty folders behind', () => {
    const [own, cwd, home, temporary] = [place(), folder('cwd'), folder('home'), folder('tmp')];
    const env = { HOME: home, TMPDIR: temporary };
    const way = { name: '', before: 'ulimit -f 0;', cwd, env };
    const { stderr } = run(way, [...ours({ name: '', flags: ['-o', own] }), 'true']);
    expect(stderr).toContain('runs unrecorded');
    expect(existsSync(own)).toBe(false);
    expect([cwd, home, temporary].flatMap((one) => readdirSync(one))).toEqual([]);
  });

  it('is a failure where that is wanted: --strict', () => {
    const strict = ours({ name: '', flags: ['--strict', '-o', '/proc/nope/run.hw'] });
    const { status, stdout, stderr } = run({ name: '' }, [...strict, 'echo', 'ran']);
    expect([status, stdout]).toEqual([125, '']);
    expect(stderr).toMatch(/^highwater: cannot write \/proc\/nope\/run.hw: .*\n$/);
  });

  it('is told from a command that cannot be run', () => {
    const nowhere = ours({ name: '', flags: ['-o', '/proc/nope/run.hw'] });
    expect(run({ name: '' }, [...nowhere, 'no-such-command']).status).toBe(127);
    expect(run({ name: '' }, [...nowhere, '/etc/passwd']).status).toBe(126);
  });
});
