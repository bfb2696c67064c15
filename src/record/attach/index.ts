import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../base/errors.ts';
import { makeTemporaryFolder } from '../../model/disk/temporary-folder.ts';
import { answersTo, askAgent } from '../../sources/agent/ask.ts';
import { injectionFolder } from '../agents/injection.ts';
import { canLetThreadIn, startThread } from './new-thread.ts';
import { checkTarget, hasGdb, notTraced } from './permission.ts';
import { lineFor, scriptOf } from './script.ts';

const LOOK_MS = 50;
/** A main thread that waits outside of Python does not see what `sys.remote_exec` left for it: then gdb is tried. */
const REMOTE_MS = 3000;
const BEGIN_MS = 30_000;
const RECORD = 'start it with: highwater record -- …';

/** Runs lines of Python with an interpreter; what they print, null where they fail. Tests have their own. */
export type RunPython = (program: string, code: string) => string | null;

export interface Answer {
  readonly value: unknown;
  /** How it was asked. */
  readonly by: 'agent' | 'gdb' | 'sys.remote_exec';
  /** How long gdb held the program still. */
  readonly heldMs: number | null;
}

/** The one way into a running Python program: its agent where one listens, else by attaching to it. */
export async function askInside(
  pid: number,
  what: string,
  options: object,
  patienceMs: number,
  attach = true,
): Promise<Answer> {
  if (!attach || (await answersTo(pid, what))) {
    const value = await askAgent(pid, what, options, patienceMs);
    return { value, by: 'agent', heldMs: null };
  }
  return askAttached(pid, what, options, patienceMs);
}

/** Python 3.14 and newer run a script on request (`sys.remote_exec`), all others by a thread that gdb lets in. */
export async function askAttached(
  pid: number,
  what: string,
  options: object,
  patienceMs: number,
  run: RunPython = python,
): Promise<Answer> {
  const inject = injectionFolder();
  if (inject === null)
    throw new UserError('the Python part of Highwater is not where it should be');
  const folder = makeTemporaryFolder('highwater-attach-');
  const program = `/proc/${pid}/exe`;
  const canUseGdb = hasGdb() && canLetThreadIn();
  let isLeft = false;
  const clear = () => {
    // Python would complain on the program's error output of a script that is gone.
    if (isLeft) run(program, remoteExec(pid, '/dev/null'));
    rmSync(folder, { recursive: true, force: true });
  };
  const interrupted = (signal: NodeJS.Signals) => {
    clear();
    process.kill(process.pid, signal);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const agent = dirname(inject);
    checkTarget(pid, [agent, folder]);
    const [script, reply] = [join(folder, 'ask.py'), join(folder, 'reply.json')];
    writeFileSync(script, scriptOf(agent, what, options, reply));
    const isNew = takesScripts(pid, run(program, FACTS));
    if (isNew && run(program, remoteExec(pid, script)) !== null) {
      isLeft = true;
      await begun(reply, pid, canUseGdb ? REMOTE_MS : BEGIN_MS);
    }
    let heldMs: number | null = null;
    if (!existsSync(`${reply}.begun`) && canUseGdb) {
      heldMs = await startThread(pid, lineFor(script));
      await begun(reply, pid, BEGIN_MS / 2);
      // At the start of a program there was no interpreter yet.
      if (!existsSync(`${reply}.begun`)) heldMs = await startThread(pid, lineFor(script));
      await begun(reply, pid, BEGIN_MS / 2);
    } else if (!isLeft) throw isNew ? notTraced(pid) : withoutGdb(pid);
    if (!existsSync(`${reply}.begun`)) throw stuck(pid);
    const answer = await answerIn(reply, pid, patienceMs);
    if (answer.by === 'sys.remote_exec') isLeft = false;
    return { ...answer, heldMs };
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    clear();
  }
}

const FACTS =
  'import sys; print("%d.%d %s" % (sys.version_info[0], sys.version_info[1], hasattr(sys, "remote_exec")))';
const remoteExec = (pid: number, script: string) =>
  `import sys; sys.remote_exec(${pid}, ${JSON.stringify(script)})`;

/** `said`: what the program's interpreter, started by itself, says of itself; where it cannot be, the script asks. */
function takesScripts(pid: number, said: string | null): boolean {
  const [, version, minor, remote] = /^(\d+\.(\d+)) (True|False)$/.exec(said ?? '') ?? [];
  if (version && (!version.startsWith('3.') || Number(minor) < 8))
    throw new UserError(`process ${pid} runs Python ${version}, and the agent needs 3.8 or newer`);
  return remote === 'True';
}

function withoutGdb(pid: number): UserError {
  const why = hasGdb() ? 'gdb can let one in on x86-64 only' : 'there is no gdb to attach with';
  const install = hasGdb() ? '' : 'install gdb, or ';
  return new UserError(`process ${pid} has no agent, and ${why}`, {
    hint: `${install}${RECORD} (Python 3.14 and newer need neither)`,
  });
}

const stuck = (pid: number): UserError =>
  new UserError(
    `process ${pid} did not answer within ${BEGIN_MS / 1000} s: a call outside of Python keeps it from running any`,
    { hint: `ask again later; gdb -p ${pid} -batch -ex 'thread apply all bt' shows which call` },
  );

/** Waits until the program has begun to answer, and no longer than this. */
async function begun(reply: string, pid: number, limitMs: number): Promise<void> {
  for (const end = Date.now() + limitMs; Date.now() < end; await sleep(LOOK_MS)) {
    if (existsSync(`${reply}.begun`)) return;
    checkAlive(pid);
  }
}

async function answerIn(
  reply: string,
  pid: number,
  patienceMs: number,
): Promise<Omit<Answer, 'heldMs'>> {
  for (const end = Date.now() + patienceMs; !existsSync(reply); await sleep(LOOK_MS)) {
    checkAlive(pid);
    if (Date.now() > end)
      throw new UserError(`process ${pid} did not answer within ${patienceMs / 1000} s`);
  }
  const { value, by, error } = JSON.parse(readFileSync(reply, 'utf8')) as Record<string, unknown>;
  if (error !== undefined) throw new UserError(`process ${pid} did not answer: ${String(error)}`);
  return { value, by: by === 'gdb' ? 'gdb' : 'sys.remote_exec' };
}

function checkAlive(pid: number): void {
  if (!existsSync(`/proc/${pid}`)) throw new UserError(`process ${pid} has ended`);
}

function python(program: string, code: string): string | null {
  const env = { ...process.env, PYTHONPATH: '', HIGHWATER_SOCKET: '', HIGHWATER_OUT: '' };
  const words = ['-E', '-s', '-c', code];
  const { status, stdout } = spawnSync(program, words, { encoding: 'utf8', env, timeout: 20_000 });
  return status === 0 ? stdout.trim() : null;
}
