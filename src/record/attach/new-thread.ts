import { closeSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../base/errors.ts';
import { readText } from '../../sources/proc.ts';
import { CodeMaps } from './code-maps.ts';
import { Gdb } from './gdb.ts';
import { notTraced } from './permission.ts';
import { quietThread, type StoppedThread } from './quiet-thread.ts';
import { ENTRY, FUNCTIONS, lengthFor, threadCode } from './thread-code.ts';

/** So long a place is looked for at which a thread may be started. */
const LOOK_MS = 30_000;
/** Between two looks, twice as long each time. */
const FIRST_REST_MS = 20;
const LONGEST_REST_MS = 1000;
const RECORD = 'start it with: highwater record -- …';

/** Whether the code for the new thread is for this machine: its registers are saved by xsave. */
export const canLetThreadIn = (): boolean =>
  process.arch === 'x64' && / xsave /.test(readText('/proc/cpuinfo') ?? '');

/**
 * Lets a process start a thread that runs a line of Python when it gets the lock for it. gdb stops the program, looks for a thread
 * that can be sent to start another, writes code for that and goes: it calls nothing and sets no breakpoints, so that it may
 * die at any moment. How long the program stood still in the end, in milliseconds.
 */
export async function startThread(pid: number, line: string): Promise<number> {
  const gdb = new Gdb();
  try {
    await gdb.ask(`file /proc/${pid}/exe`);
    const limit = Date.now() + LOOK_MS;
    for (let rest = FIRST_REST_MS; ; rest = Math.min(2 * rest, LONGEST_REST_MS)) {
      const began = performance.now();
      await attach(gdb, pid);
      const isStarted = await sendThread(gdb, pid, line);
      await gdb.ask('detach');
      if (isStarted) return performance.now() - began;
      if (Date.now() > limit) {
        throw new UserError(`process ${pid} came to no place where a thread can be let in`, {
          hint: `ask again later; gdb -p ${pid} -batch -ex 'thread apply all bt' shows where it is`,
        });
      }
      await sleep(rest);
    }
  } finally {
    gdb.end();
  }
}

async function attach(gdb: Gdb, pid: number): Promise<void> {
  await gdb.ask(`attach ${pid}`);
  const complaints = gdb.complaints;
  if ((await gdb.number('$pc')) !== null) return;
  if (/No such process/.test(complaints)) throw new UserError(`process ${pid} has ended`);
  throw notTraced(pid);
}

/** Whether there was one to send. */
async function sendThread(gdb: Gdb, pid: number, line: string): Promise<boolean> {
  const functions = await places(gdb, pid, [...FUNCTIONS, 'malloc']);
  const malloc = functions.pop()!;
  const [threads, maps] = [await stoppedThreads(gdb), new CodeMaps(pid)];
  const [create, , , interpreter] = functions as [number, number, number, number];
  const own = maps.fileAt(interpreter);
  const isInterpreter = (at: number) => own !== maps.fileAt(malloc) && own === maps.fileAt(at);
  const thread = quietThread(pid, threads, isInterpreter);
  if (!thread) return false;
  const room = maps.room(lengthFor(line), [interpreter, create]);
  if (room === null) {
    throw new UserError(`process ${pid} has no room for the code that lets a thread in`, {
      hint: RECORD,
    });
  }
  const code = threadCode(functions, thread.at, line);
  const octal = [...code].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  // A text in C has one more byte, a zero.
  await gdb.ask(`thread ${thread.number}\nset {char[${code.length + 1}]}${room} = "${octal}"`);
  if (!memoryOf(pid, room, code.length).equals(code))
    throw new UserError(`process ${pid} does not let its code be written to`);
  await gdb.ask(`set $rip = ${room + ENTRY}`);
  return true;
}

function memoryOf(pid: number, address: number, length: number): Buffer {
  const fd = openSync(`/proc/${pid}/mem`, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, address));
  } finally {
    closeSync(fd);
  }
}

async function places(gdb: Gdb, pid: number, names: readonly string[]): Promise<number[]> {
  // One by one: gdb's patterns know no "or" that all versions agree on.
  await gdb.ask('sharedlibrary libc\\.so\nsharedlibrary libpthread\nsharedlibrary libpython');
  const found = await gdb.numbers(names.map((name) => `&${name}`));
  const missing = names[found.findIndex((address) => !address)];
  if (missing === undefined) return found as number[];
  throw new UserError(`process ${pid} has no function ${missing} that gdb can find`, {
    hint: `its Python is stripped, or not linked with glibc; ${RECORD}`,
  });
}

async function stoppedThreads(gdb: Gdb): Promise<StoppedThread[]> {
  const registers = '$orig_rax, (long)$rdi, (long)$rsi, (long)$pc';
  const text = await gdb.ask(
    `thread apply all -ascending printf "= %ld %ld %ld %ld\\n", ${registers}`,
  );
  const found: StoppedThread[] = [];
  for (const [, number, id, ...rest] of text.matchAll(
    /^Thread (\d+) \((?:.*?LWP|process) (\d+).*\n= (-?\d+) (-?\d+) (-?\d+) (\d+)$/gm,
  )) {
    const [call, first, second, at] = rest.map(Number) as [number, number, number, number];
    found.push({ number: Number(number), id: Number(id), call, first, second, at });
  }
  return found;
}
