import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, errnoCode, UserError } from '../base/errors.ts';
import { withoutSecrets } from '../base/secrets/index.ts';
import { ellipsize, printable } from '../base/text.ts';
import { folderFiles, orUserError, readEnd } from '../model/disk/files.ts';
import { openRecording } from '../model/disk/reader.ts';
import { writeRun } from '../model/disk/save.ts';
import type { ExitInfo, RunInfo } from '../model/run.ts';
import { sizesIn } from '../record/agents/import-baseline.ts';
import { resolveCommand } from '../record/run/command.ts';
import { cleanLog } from './clean-log.ts';
import { combinationName } from './grid.ts';
import type { ManifestRun } from './manifest.ts';
import { commandOf, envOf, type SweepPlan } from './plan.ts';
import { recorderEnd, startRecorder } from './recorder.ts';
import { fill } from './template.ts';

const TAIL_BYTES = 4096;
const REASON_WIDTH = 100;
/** Ends that were asked for: the run did what it should. */
const AS_PLANNED = /^--(stop-after|duration)\b/;

/** What became of a run. */
type Outcome = Pick<ManifestRun, 'state' | 'exitCode' | 'signal' | 'reason'>;

export interface RunOptions {
  readonly folder: string;
  readonly plan: SweepPlan;
  readonly jobs: number;
  /** The command's output goes to our stderr instead of the run's log. */
  readonly showOutput: boolean;
  /** Told of the recorder as soon as it runs, to pass signals on. */
  readonly onStart: (recorder: ChildProcess) => void;
}

/** Records one combination; what became of it. */
export async function runOne(run: ManifestRun, options: RunOptions): Promise<Outcome> {
  const { folder, plan, showOutput } = options;
  const argv = commandOf(plan, run.combination);
  try {
    resolveCommand(argv[0]!);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { message, exitCode } = error;
    return { state: 'failed', exitCode, signal: null, reason: message };
  }
  const recording = join(folder, run.recording);
  const log = join(folder, run.log);
  const flags = plan.recordFlags.map((word) => fill(word, run.combination));
  const words = ['-q', '-o', recording, '--name', plan.name, ...flags];
  // What an earlier attempt left there was interrupted, or failed and is tried again.
  if (existsSync(recording)) words.push('--force');
  const code = await recorded([...words, '--', ...argv], log, run, options);
  if (!showOutput) await cleanedLog(log);
  const info = label(recording, run, options);
  if (info) await sizesIn(recording);
  return outcome(info?.exit ?? null, code, showOutput ? null : log);
}

function recorded(
  words: string[],
  log: string,
  run: ManifestRun,
  options: RunOptions,
): Promise<number> {
  const { plan, showOutput, onStart } = options;
  const fd = showOutput ? 2 : orUserError(log, () => openLog(log), 'write');
  try {
    const recorder = startRecorder(words, {
      // Each run would want the same input, and there is but one: none gets it.
      stdio: ['ignore', fd, fd],
      env: { ...process.env, ...envOf(plan, run.combination) },
    });
    onStart(recorder);
    return recorderEnd(recorder);
  } finally {
    if (!showOutput) closeSync(fd);
  }
}

/** A log that cannot be written anew says what it says; the run itself went as it went. */
async function cleanedLog(log: string): Promise<void> {
  try {
    await cleanLog(log);
  } catch (error) {
    if (errnoCode(error) === undefined) throw error;
    process.stderr.write(`highwater: ${log} may hold secrets: ${describeError(error)}\n`);
  }
}

/** Emptied first, then for appending, as two streams write to it. */
function openLog(path: string): number {
  closeSync(openSync(path, 'w', 0o644));
  return openSync(path, 'a', 0o644);
}

/** Writes into the finished recording which run of which sweep it is, so that any command can tell. */
function label(folder: string, run: ManifestRun, { plan, jobs }: RunOptions): RunInfo | null {
  if (!existsSync(join(folder, 'run.json'))) return null;
  const info = openRecording(folderFiles(folder)).run;
  const again = run.repeat > 1 ? ` #${run.repeat}` : '';
  const params = Object.entries(run.combination).map(([name, value]) => [`param.${name}`, value]);
  const labels = {
    ...info.labels,
    ...Object.fromEntries(params),
    sweep: plan.name,
    'sweep.repeat': String(run.repeat),
    'sweep.jobs': String(jobs),
  };
  const labelled = { ...info, name: `${combinationName(run.combination)}${again}`, labels };
  orUserError(folder, () => writeRun(folder, labelled), 'write');
  return labelled;
}

/** What became of a run that was not disturbed: from its recording, or from its recorder's code. */
function outcome(exit: ExitInfo | null, recorderCode: number, log: string | null): Outcome {
  const lastWords = log === null ? null : lastLine(log);
  if (!exit) {
    const reason =
      lastWords?.replace(/^highwater: /, '') ?? `the recorder ended with ${recorderCode}`;
    return { state: 'failed', exitCode: recorderCode, signal: null, reason: shorten(reason) };
  }
  const { code, signal, endedBy } = exit;
  if (endedBy !== null) {
    const well = AS_PLANNED.test(endedBy);
    return { state: well ? 'done' : 'failed', exitCode: code, signal, reason: shorten(endedBy) };
  }
  if (code === 0) return { state: 'done', exitCode: 0, signal: null, reason: null };
  const what = exit.oomKilled
    ? 'killed, out of memory'
    : signal
      ? `ended by ${signal}`
      : `exit code ${code}`;
  const words = lastWords ? `: ${lastWords}` : '';
  return { state: 'failed', exitCode: code, signal, reason: shorten(what + words) };
}

const shorten = (text: string) => ellipsize(printable(withoutSecrets(text)), REASON_WIDTH);

/** Programs say last why they gave up. */
function lastLine(path: string): string | null {
  try {
    const lines = new TextDecoder().decode(readEnd(path, TAIL_BYTES)).split(/[\r\n]+/);
    return lines.map((line) => line.trim()).findLast((line) => line !== '') ?? null;
  } catch {
    return null;
  }
}
