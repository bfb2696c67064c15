import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { RunInfo } from '../../src/model/run.ts';
import { afterEachFile } from './file-cleanup.ts';

/** The command line under test; `HIGHWATER_CLI` names another build of it. */
export const CLI = resolve(process.env.HIGHWATER_CLI ?? 'dist/cli.js');

/** A folder of this process's own, for tests that run side by side; each test file finds it empty. */
export const SCRATCH = mkdtempSync(join(tmpdir(), 'highwater-test-'));
chmodSync(SCRATCH, 0o755); // also ordinary users look in
const running = new Set<ChildProcess>();
const clear = () => rmSync(SCRATCH, { recursive: true, force: true });
afterEachFile(() => {
  for (const child of running) child.kill('SIGKILL'); // of tests that ran out of time
  clear();
  mkdirSync(SCRATCH, { mode: 0o755 });
});
process.once('exit', clear);

/** For verbs without a name: recordings of whoever runs the tests are not looked for. */
export const ELSEWHERE = { HOME: join(SCRATCH, 'home'), TMPDIR: SCRATCH };

let places = 0;
/** A path that nobody else has. */
export function place(name = 'run.hw'): string {
  return join(SCRATCH, `${++places}-${name}`);
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly stdin?: string | Buffer;
  readonly stdio?: StdioOptions;
  readonly env?: NodeJS.ProcessEnv;
  /** As an ordinary user, who may make no control groups. Without root we are one anyway. */
  readonly ordinary?: boolean;
}

/** What a workload must not inherit from the way in which the tests were started. */
export function cleanEnv(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { PYTHONUNBUFFERED: _unbuffered, HIGHWATER_RUN: _run, ...env } = process.env;
  delete env.npm_command;
  return { ...env, ...more };
}

/** Starts the command line; `finished` resolves when it exited and its output is closed. */
export function start(
  argv: readonly string[],
  options: CliOptions = {},
): { child: ChildProcess; finished: Promise<Finished> } {
  const ordinary = options.ordinary && process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  const child = spawn(process.execPath, [CLI, ...argv], {
    cwd: options.cwd ?? SCRATCH,
    env: cleanEnv(options.env),
    stdio: options.stdio ?? [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...ordinary,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin?.on('error', () => {});
  if (options.stdin !== undefined) child.stdin?.end(options.stdin);
  const finished = new Promise<Finished>((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) =>
      done({ code, signal, stdout: Buffer.concat(stdout), stderr: String(Buffer.concat(stderr)) }),
    );
  });
  return { child, finished };
}

export function highwater(argv: readonly string[], options?: CliOptions): Promise<Finished> {
  return start(argv, options).finished;
}

/** The flags of a short recording at a place of its own. */
export function shortFlags(out: string): string[] {
  return ['record', '--before', '0', '--after', '0', '-q', '-o', out];
}

export interface Recorded extends Finished {
  readonly folder: string;
  readonly run: RunInfo;
}

/** Records a command without shelves and without a summary. */
export async function recorded(
  flags: readonly string[],
  command: readonly string[],
  options?: CliOptions,
): Promise<Recorded> {
  const folder = place();
  const finished = await highwater([...shortFlags(folder), ...flags, '--', ...command], options);
  return { ...finished, folder, run: readRun(folder) };
}

export function readRun(folder: string): RunInfo {
  return JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunInfo;
}

export const open = (folder: string): Recording => openRecording(folderFiles(folder));

export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

/** Waits for something to become true; the test's own timeout ends what never does. */
export async function until(condition: () => boolean, everyMs = 10): Promise<void> {
  while (!condition()) await sleep(everyMs);
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
