import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEachFile } from './file-cleanup.ts';
import { CLI, cleanEnv, ELSEWHERE, SCRATCH } from './recorder.ts';

/** What a command printed, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, as they came. */
  readonly output: string;
}

const SCRIPT = fileURLToPath(new URL('one-process.mjs', import.meta.url));
const children: ChildProcess[] = [];
afterEachFile(async () => {
  const left = children.splice(0).filter((child) => child.connected);
  for (const child of left) child.disconnect();
  await Promise.all(left.map((child) => once(child, 'exit')));
});

/** A process, started when it is first needed, that runs commands in turn as starts of `cli` would. */
export function oneProcess(cli: string, node = process.execPath, env = cleanEnv()) {
  let child: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const started = () => {
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    const made = fork(SCRIPT, [cli], { execPath: node, execArgv: [], env, stdio: [...stdio] });
    children.push(made);
    return made;
  };
  return (argv: readonly string[], cwd = SCRATCH): Promise<Ended> => {
    const ended = last.then(() => {
      if (!child?.connected) child = started(); // an earlier test file's has ended
      return answer(child, { argv, cwd });
    });
    last = ended.catch(() => {});
    return ended;
  };
}

async function answer(child: ChildProcess, command: object): Promise<Ended> {
  const answered = new AbortController();
  const { signal } = answered;
  const died = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${JSON.stringify(command)} ended its process with ${code}`);
  });
  child.send(command);
  try {
    const [ended] = await Promise.race([once(child, 'message', { signal }), died]);
    return ended as Ended;
  } finally {
    answered.abort();
    died.catch(() => {});
  }
}

/**
 * The built program as `highwater` starts it, but all commands of a test file in one process:
 * starting Node is most of what a short one costs. Not for commands that start programs.
 */
export const inOneProcess = oneProcess(CLI, process.execPath, cleanEnv(ELSEWHERE));
