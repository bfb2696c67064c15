import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { LimitFinding } from '../../analyses/check/finding.ts';
import { type CheckResult, check } from '../../analyses/check/index.ts';
import { type RunFigures, runFigures } from '../../analyses/check/run-figures.ts';
import { report } from '../../analyses/report.ts';
import { UserError } from '../../base/errors.ts';
import { orUserError } from '../../model/disk/files.ts';
import { openInput } from '../../open/open.ts';
import { RUNS_FOLDER } from '../../open/recordings.ts';
import { runPaths } from '../../open/runs.ts';
import { runName } from '../../record/run/command.ts';
import { automaticName } from '../../record/run/output-folder.ts';
import { OWN_FAILURE, recorderEnd, startRecorder } from '../../sweep/recorder.ts';
import { checkJunit, checkMarkdown, checkText } from '../../views/check/check.ts';
import { addRecordFlags, recordWords } from '../flags/record-words.ts';
import { addJsonFlags, answerJson, type JsonFlags } from '../output/json.ts';
import { orNewest } from '../output/newest.ts';
import { writeOutFile } from '../output/out-file.ts';
import { show, tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';
import { readBaseline, saveBaseline } from './check/baseline.ts';
import { CONFIG_FILE, readConfig } from './check/config.ts';
import { addLimitFlags, type LimitFlags, limitsOf, noLimits } from './check/limits.ts';

const EXIT: Readonly<Record<LimitFinding['status'], number>> = { pass: 0, fail: 3, unknown: 4 };

/** A command that cannot be started, as `env` says it. */
const NOT_STARTED = [126, 127];

const EXAMPLE = `highwater check --peak 'tree.pss<=8GiB' --no-leak                 # the newest recording
highwater check train.hw --peak 'gpu<=24GiB' --growth '<=1MiB/iteration' --junit memory.xml
highwater check --peak 'tree.pss<=2GiB' -- python train.py --steps 50
highwater check --save-baseline memory.json --repeat 5 -- python train.py
highwater check --baseline memory.json --max-regress 3% -- python train.py`;

interface Flags extends LimitFlags, JsonFlags {
  readonly config?: string;
  readonly saveBaseline?: string;
  readonly markdown?: true;
  readonly junit?: string;
  readonly out?: string;
  readonly repeat: number;
  readonly force?: true;
}

/** Limits for CI: exit code 0 within all, 3 over one, 4 where it cannot be told. */
export function command(): Command {
  const declared = addJsonFlags(
    addLimitFlags(
      newCommand(
        'check',
        'hold a run against limits, for CI (exit 0, 3 over, 4 cannot tell)',
        EXAMPLE,
      )
        .usage('[recordings...] [limits] [-- command...]')
        .argument('[recordings...]', 'recordings or folders of them (default: the newest)'),
    ),
  )
    .option(
      '--config <file>',
      `limits where flags name none (default: ${CONFIG_FILE}, if there is one)`,
    )
    .option('--save-baseline <file>', 'write what later runs are held against, a small JSON file')
    .option('--markdown', 'for a pull request')
    .option('--junit <file>', 'also as JUnit XML');
  return addRecordFlags(declared, 'check');
}

export function run(argv: readonly string[]): Promise<number> {
  // The command is cut off first: commander would take its words for recordings.
  const end = argv.indexOf('--');
  const [own, words] = end < 0 ? [argv, null] : [argv.slice(0, end), argv.slice(end + 1)];
  return runCommand(command(), own, (inputs: string[], flags: Flags) =>
    checkRuns(inputs, words, flags),
  );
}

/** `words`: the command to record first; null: there is none. */
async function checkRuns(
  inputs: readonly string[],
  words: readonly string[] | null,
  flags: Flags,
): Promise<number> {
  const { limits, baseline } = limitsOf(flags, readConfig(flags.config ?? null));
  if (limits.length === 0 && flags.saveBaseline === undefined) throw noLimits();
  if (words && (inputs.length > 0 || words.length === 0)) {
    throw new UserError('give recordings, or a command after --');
  }
  const before = await readBaseline(baseline);
  const given = words ? [await recordCommand(words, flags)] : inputs;
  const reports = await reportsOf(given);
  const result = check(reports, limits, before);
  if (flags.saveBaseline !== undefined) {
    const figures = reports.map(runFigures);
    refuseIncomplete(figures);
    saveBaseline(flags.saveBaseline, figures, flags.force ?? false);
    tell(`highwater: baseline in ${flags.saveBaseline}\n`);
  }
  if (limits.length === 0) return 0;
  await showResult(result, given, flags);
  return EXIT[result.status];
}

/** Later runs would be held against less than there was. */
function refuseIncomplete(runs: readonly RunFigures[]): void {
  const bad = runs.find(({ lacks }) => lacks !== undefined);
  if (!bad) return;
  throw new UserError(`${bad.name} is no baseline: ${bad.lacks}`, {
    hint: 'record it again, to its end',
    exitCode: EXIT.unknown,
  });
}

async function reportsOf(inputs: readonly string[]) {
  const paths = inputs.length > 0 ? await runPaths(inputs) : [orNewest(undefined)];
  const reports = [];
  for (const path of paths) reports.push(report(await openInput(path)));
  return reports;
}

async function showResult(
  result: CheckResult,
  inputs: readonly string[],
  flags: Flags,
): Promise<void> {
  if (flags.junit !== undefined) writeOutFile(flags.junit, [checkJunit(result)], true);
  show(
    flags.json
      ? answerJson(result, flags, inputs.slice(0, 1))
      : flags.markdown
        ? checkMarkdown(result)
        : checkText(result),
  );
  // GitHub shows this file on the run's page.
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (summary) orUserError(summary, () => appendFileSync(summary, checkMarkdown(result)), 'write');
}

/**
 * Records a command as `record` does; what it prints goes to the error stream, as results are data.
 * The folder with what was recorded.
 */
async function recordCommand(argv: readonly string[], flags: Flags): Promise<string> {
  const many = flags.repeat > 1;
  const out =
    flags.out ??
    join(RUNS_FOLDER, automaticName(runName(argv)).replace(/\.hw$/, many ? '' : '.hw'));
  const words = recordWords({
    quiet: true,
    out,
    repeat: flags.repeat,
    force: flags.force ?? false,
  });
  const code = await recorded([...words, '--', ...argv]);
  if (code === OWN_FAILURE || NOT_STARTED.includes(code) || !existsSync(out)) {
    throw new UserError('the command could not be recorded', {
      exitCode: NOT_STARTED.includes(code) ? code : 2,
    });
  }
  tell(`highwater: recorded in ${out}\n`);
  return out;
}

function recorded(words: readonly string[]): Promise<number> {
  // The recorder hears Ctrl-C too and ends the workload politely: what it recorded is then checked.
  const wait = () => {};
  process.on('SIGINT', wait);
  const recorder = startRecorder(words, { stdio: ['inherit', 2, 'inherit'] });
  return recorderEnd(recorder).finally(() => process.off('SIGINT', wait));
}
