import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandOf, pythonWith } from './command.ts';
import { type MachineLoad, watchLoad } from './machine-load.ts';
import type { Program } from './programs.ts';
import { type Score, type ScoredReport, score } from './score.ts';

/** What came of one run: a score, or why there is none. */
export interface Outcome {
  readonly program: Program;
  readonly seconds: number;
  readonly machine: MachineLoad;
  readonly report: ScoredReport | null;
  readonly score: Score | null;
  /** It could not be started here. */
  readonly absent: string | null;
  /** It did not do what it is there for: a fault of the gauntlet or of the recorder. */
  readonly failed: string | null;
}

const CLI = resolve(process.env.HIGHWATER_CLI ?? 'dist/cli.js');
const BESIDE = join(dirname(fileURLToPath(import.meta.url)), 'beside');
/** The longest program takes a quarter of this. */
const MOST_SECONDS = 400;

/** Records a program in a folder of its own, and scores its report. */
export async function runProgram(
  program: Program,
  folder: string,
  keep: boolean,
): Promise<Outcome> {
  try {
    return await recordAndScore(program, folder);
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}

async function recordAndScore(program: Program, folder: string): Promise<Outcome> {
  const since = Date.now();
  const load = watchLoad();
  const ended = (more: Partial<Outcome>): Outcome => ({
    program,
    seconds: (Date.now() - since) / 1000,
    machine: load(),
    report: null,
    score: null,
    absent: null,
    failed: null,
    ...more,
  });
  const started = commandOf(program);
  if ('absent' in started) return ended({ absent: started.absent });
  const { truth } = program;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'cwd'), { recursive: true });
  const recording = join(folder, 'run.hw');
  const tag = `gauntlet-${process.pid}-${++runs}`;
  const others = startBeside(truth.beside);
  const words = ['record', '-q', '-o', recording, ...truth.record, '--', ...started.argv];
  const recorded = await cli(words, join(folder, 'cwd'), { GAUNTLET_TAG: tag, ...started.env });
  others?.kill('SIGKILL');
  removeShared(tag);
  const told = await cli(['report', recording, '--json'], folder, {});
  if (told.code !== 0) return ended({ failed: lastLine(told.stderr || recorded.stderr) });
  const report = JSON.parse(told.stdout) as ScoredReport;
  const end = report.ending.signal ?? report.ending.code;
  if (end !== truth.ends) {
    return ended({ report, failed: `ended by ${end}: ${lastLine(recorded.stderr)}` });
  }
  return ended({ report, score: score(truth, report) });
}

let runs = 0;

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function cli(argv: readonly string[], cwd: string, more: NodeJS.ProcessEnv): Promise<Finished> {
  const { npm_command: _npm, PYTHONUNBUFFERED: _unbuffered, ...env } = process.env;
  const child = spawn(process.execPath, [CLI, ...argv], {
    cwd,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MOST_SECONDS * 1000,
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) =>
      done({ code, stdout: `${Buffer.concat(stdout)}`, stderr: `${Buffer.concat(stderr)}` }),
    );
  });
}

function startBeside([file, ...args]: readonly string[]): ChildProcess | null {
  if (file === undefined) return null;
  return spawn(pythonWith([])!, [join(BESIDE, file), ...args], { stdio: 'ignore' });
}

/** What programs leave in /dev/shm has the run's tag in its name, and is removed after it. */
function removeShared(tag: string): void {
  for (const name of readdirSync('/dev/shm')) {
    if (name.includes(`${tag}-`) || name.endsWith(tag))
      rmSync(join('/dev/shm', name), { recursive: true });
  }
}

const lastLine = (text: string) => text.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
