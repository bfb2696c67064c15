import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished } from 'vitest';
import { UserError } from '../../src/base/errors.ts';
import { type Answer, askAttached } from '../../src/record/attach/index.ts';
import { tempFolder } from '../support/files.ts';
import { lack, needs } from '../support/programs.ts';
import { pythons } from '../support/pythons.ts';

/** By hand there were fifty, with each version (docs/verified.md). */
const TIMES = 5;
/** Where only children may be traced the program says that anybody may: gdb is its sister here. */
const TRACEABLE =
  'import ctypes; ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1 % (1 << 64)))';

/** Has as a rule loaded no `threading`, waits where only a new thread can get in, and looks at itself afterwards. */
const QUIET = `${TRACEABLE}
import sys, time
class Held: pass
keep = [Held() for _ in range(50)]
had = "threading" in sys.modules or sys.version_info >= (3, 13)
names = set(globals())
print("ready", flush=True)
sys.stdin.read()
assert set(globals()) - names == {"names"}, set(globals()) - names
assert had or "threading" not in sys.modules
import threading
assert threading.current_thread() is threading.main_thread()
print("whole", flush=True)
`;

interface Target {
  readonly child: ChildProcess & { pid: number };
  readonly lines: AsyncIterator<string>;
  /** What it wrote to its error output, and how it ended. */
  readonly end: Promise<[code: number | string | null, errors: string]>;
}

async function start(program: string, words: readonly string[]): Promise<Target> {
  const child = spawn(program, words, { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (part) => (errors += part));
  const end = new Promise<[number | string | null, string]>((resolve) => {
    child.once('close', (code, signal) => resolve([code ?? signal, errors]));
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return { child: child as unknown as Target['child'], lines, end };
}

/** The answer; null, and the one line that says why, where this machine lets nobody trace. */
async function ask(
  pid: number,
  what: string,
  options = {},
  patienceMs = 120_000,
): Promise<Answer | null> {
  try {
    return await askAttached(pid, what, options, patienceMs);
  } catch (error) {
    if (!(error instanceof UserError) || !/cannot be attached to/.test(error.message)) throw error;
    expect(error.hint).toMatch(/ptrace_scope|SYS_PTRACE/);
    return null;
  }
}

const isTraced = (pid: number) =>
  !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

describe('attaching to a Python program', () => {
  const found = lack('python3') === null ? [...pythons()] : [];
  const real = needs('python3', 'gdb');

  real(
    'harms no busy one',
    async () => {
      const { child, lines, end } = await start(found[0]![1], [
        '-X',
        'faulthandler',
        '-c',
        `${TRACEABLE}\nimport sys, runpy; sys.argv[1:] = ["fork"]; runpy.run_path("test/fixtures/heap/attached.py", run_name="__main__")`,
      ]);
      const file = join(tempFolder(), 'x.hwheap');
      for (let i = 0; i < TIMES; i++) {
        const answer = await ask(child.pid, i % 3 === 2 ? 'sizes' : 'heap', { file });
        if (answer === null) break;
        expect(['gdb', 'sys.remote_exec']).toContain(answer.by);
        expect(answer.value).toMatchObject(i % 3 === 2 ? { language: 'python' } : { file });
      }
      expect(isTraced(child.pid)).toBe(false);
      child.stdin!.end();
      const said = JSON.parse((await lines.next()).value as string);
      expect(said).toMatchObject({ wrong: [], idle: [], alarms: true });
      expect((await end)[0]).toBe(0);
    },
    300_000,
  );

  for (const [version, program] of found) {
    real(
      `leaves one that waits as it was, Python ${version}`,
      async () => {
        const { child, lines, end } = await start(program, ['-c', QUIET]);
        const file = join(tempFolder(), 'x.hwheap');
        const answer = await ask(child.pid, 'heap', { file });
        if (answer !== null) {
          expect(answer.by).toBe('gdb');
          expect(existsSync(file)).toBe(true);
        }
        await expect.poll(() => readdirSync(`/proc/${child.pid}/task`).length).toBe(1);
        child.stdin!.end();
        expect((await lines.next()).value).toBe('whole');
        expect(await end).toEqual([0, '']);
      },
      120_000,
    );
  }

  real(
    'lets it go on where gdb is killed',
    async () => {
      const { child, lines, end } = await start(found[0]![1], ['-c', QUIET]);
      for (let i = 0; i < 6; i++) {
        // Whether an answer comes is not what counts here: a thread that was let in at the last moment may give none.
        const answer = ask(child.pid, 'sizes', {}, 5000).catch((error: Error) => error.message);
        const gdb = await gdbOf(process.pid);
        await sleep(30 * i);
        if (gdb !== null) process.kill(gdb, 'SIGKILL');
        await answer;
        await expect.poll(() => isTraced(child.pid)).toBe(false);
        expect(child.exitCode ?? child.signalCode).toBe(null);
      }
      child.stdin!.end();
      expect((await lines.next()).value).toBe('whole');
      expect(await end).toEqual([0, '']);
    },
    120_000,
  );
});

/** The gdb among the children of a process, once there is one. */
async function gdbOf(parent: number): Promise<number | null> {
  for (let i = 0; i < 100; i++, await sleep(10)) {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        if (stat.includes('(gdb)') && stat.split(') ')[1]!.split(' ')[1] === String(parent))
          return Number(pid);
      } catch {
        // It has just ended.
      }
    }
  }
  return null;
}
