import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Report } from '../../analyses/report.ts';
import { UserError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { tellsPlan } from '../../model/engine-plan.ts';
import type { CrashText } from '../../model/out-of-memory.ts';
import { verdictSentence } from '../../model/verdict.ts';
import { isKnownFormat } from '../../open/foreign-file.ts';
import { isHeapFile } from '../../open/heaps.ts';
import { locate } from '../../open/locate.ts';
import { openWithTraces } from '../../open/open.ts';
import { repeatsIn, repeatsOf } from '../../open/repeat-folder.ts';
import { isSweepFolder } from '../../sweep/manifest-file.ts';
import { EVENTS_FLAG, EVENTS_MEANING, eventRange } from '../flags/event-range.ts';
import { addFitFlags, checkFitFlags, type FitFlags, fitRequest } from '../flags/fit.ts';
import { addHintOptions, type HintOptions, hintsOf } from '../flags/hints.ts';
import { addJsonFlags, answerJson, type JsonFlags } from '../output/json.ts';
import { orNewest } from '../output/newest.ts';
import { show } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

interface Options extends FitFlags, HintOptions, JsonFlags {
  markdown?: true;
  html?: string;
  redact?: true;
  force?: true;
  series?: true;
  events?: { from: number; to: number };
}

const EXAMPLE = `highwater report
highwater report highwater-runs/train.hw --json
highwater report highwater-runs/train-job-4711   # ranks that were recorded one by one
highwater report highwater-runs/train.hw --html train.html
highwater report highwater-runs/train.hw --html shared.html --redact   # without your names and texts
highwater report highwater-runs/infer-sweep-…    # the table of a sweep
highwater report highwater-runs/train-20…         # record --repeat: what each run left behind, on average
highwater report highwater-runs/train-sweep-… --fit 24GiB --at batch=48
highwater report peaks.csv --fit 24GiB            # peaks measured elsewhere
highwater report slurm-4711.out                   # a log: what ran out of memory, and what its figures prove
kubectl logs train-0 | highwater report -         # the same of a pipe, or of a traceback that is pasted
highwater report vllm.log                         # what an engine that serves models planned to hold`;

/** What happened in one run, to a terminal, a page or a program. */
export function command(): Command {
  return addHintOptions(
    addFitFlags(
      addJsonFlags(
        newCommand('report', 'what happened: peaks, who held it, how it ended', EXAMPLE).argument(
          '[recording]',
          'a recording, a packed one, a folder with one for each rank, a foreign file, or the log of a program that ran out of memory; -: a log on standard input (default: the newest)',
        ),
      )
        .option(EVENTS_FLAG, EVENTS_MEANING, eventRange)
        .option('--markdown', 'for an issue or a pull request')
        .option('--html <file>', 'the web view as one file, to share or keep')
        .option('--redact', 'without paths, names and texts of you and your program; figures stay')
        .option('--force', 'replace an existing file')
        .option('--series', 'only list the names that `check` can hold against limits'),
    ),
  );
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, reportOn);
}

async function reportOn(named: string | undefined, options: Options): Promise<void> {
  checkFitFlags(options);
  const input = orNewest(named);
  if (options.redact) {
    await redactedReport(input, options);
    return;
  }
  if (options.html !== undefined) {
    const { writeHtml } = await import('./report/html.ts');
    await writeHtml([input], options.html, options.force ?? false);
    return;
  }
  if (isSweepFolder(input)) {
    const { sweepReport } = await import('./sweep/report.ts');
    show(await sweepReport(input, options));
    return;
  }
  const runs = repeatsIn(input);
  if (runs) {
    show(await repeatsReport(runs, input, options));
    return;
  }
  const fit = fitRequest(options);
  if (fit) {
    const { tableReport } = await import('./sweep/report.ts');
    show(tableReport(tableOf(input), fit, options));
    return;
  }
  const crash = await crashIn(input);
  if (crash) {
    show(await crashReport(crash, input, options));
    return;
  }
  const location = locate(input);
  const hints = { events: options.events, ...hintsOf(options) };
  // What it takes to answer is loaded while a large file is read.
  const [opened, { report }] = await Promise.all([
    openWithTraces(location, hints, undefined, true),
    import('../../analyses/report.ts'),
    options.json || loadViews(),
  ]);
  const result = report(opened.recording, opened.snapshots, opened.rankTraces);
  if (options.series) {
    show(await seriesList(result, location.path, options));
    return;
  }
  if (options.json) {
    show(answerJson(result, options, [location.path]));
    return;
  }
  const { reportMarkdown, reportText } = await loadViews();
  show(options.markdown ? reportMarkdown(result) : reportText(result, terminal()));
}

async function loadViews() {
  const [{ reportMarkdown }, { reportText }] = await Promise.all([
    import('../../views/report/markdown.ts'),
    import('../../views/report/text.ts'),
  ]);
  return { reportMarkdown, reportText };
}

/** The same of a copy to give away, which is named by what stands for its name. */
async function redactedReport(input: string, options: Options): Promise<void> {
  if (isSweepFolder(input)) {
    throw new UserError(`--redact is for one recording, which ${input} is not`, {
      hint: 'name one of its runs',
    });
  }
  if (options.html === undefined || input === '-') {
    const crash = await crashIn(input);
    if (crash) {
      show(await redactedCrash(crash, options));
      return;
    }
  }
  const path = resolve(locate(input).path);
  const html =
    options.html === undefined || options.html === '-' ? options.html : resolve(options.html);
  const beside = html === undefined || html === '-' ? join(tmpdir(), 'highwater') : html;
  const { withRedactedCopy } = await import('../output/redacted-copy.ts');
  await withRedactedCopy(path, beside, undefined, async (copy) => {
    // No path of this machine is then part of what is shown.
    process.chdir(dirname(copy));
    await reportOn(basename(copy), { ...options, html, redact: undefined });
  });
}

async function redactedCrash(crash: CrashText, options: Options): Promise<string> {
  if (options.html !== undefined) {
    throw new UserError('--html is for one recording, which standard input is not');
  }
  const [{ redactCrash, usersInCrash }, { redactorOf }, { ownHosts, ownUsers }] = await Promise.all(
    [
      import('../../model/redacted-crash.ts'),
      import('../../model/redacted.ts'),
      import('../output/redacted-copy.ts'),
    ],
  );
  const told = { users: [...ownUsers(), ...usersInCrash(crash)], hosts: ownHosts() };
  const given = redactCrash(crash, redactorOf([told]));
  return crashReport(given, given.name, options);
}

/** What a log says about memory that ran out, or that an engine planned; null where the input is something else, or says nothing of it. */
async function crashIn(input: string): Promise<CrashText | null> {
  if (input === '-') {
    const { crashTextFrom } = await import('../../formats/log-lines/index.ts');
    if (process.stdin.isTTY) process.stderr.write('Paste the text, then press Ctrl-D.\n');
    const text = await crashTextFrom('standard input', process.stdin);
    if (text.events.length > 0 || tellsPlan(text.engines)) return text;
    throw new UserError(
      `none of ${count(text.lines, 'line')} on standard input says that memory ran out, or how an engine planned it`,
    );
  }
  const location = locate(input);
  if (location.kind !== 'file' || (await isKnownFormat(location.path))) return null;
  // Its strings are the program's, and Node's own among them speak of memory that ran out.
  if (isHeapFile(location.path)) {
    throw new UserError(`${input} is a heap, not a recording`, {
      hint: `highwater heap ${input} shows it`,
    });
  }
  const { readCrashText } = await import('../../open/crash-text.ts');
  const text = readCrashText(location.path);
  return text.events.length > 0 || tellsPlan(text.engines) ? text : null;
}

async function crashReport(text: CrashText, input: string, options: Options): Promise<string> {
  const [{ outOfMemory }, { outOfMemoryVerdict }, { crashPassages }] = await Promise.all([
    import('../../analyses/out-of-memory.ts'),
    import('../../analyses/verdict/out-of-memory.ts'),
    import('../../views/out-of-memory/passages.ts'),
  ]);
  const [{ passagesMarkdown }, { passagesText }] = await Promise.all([
    import('../../views/report/markdown.ts'),
    import('../../views/report/text.ts'),
  ]);
  const result = outOfMemory(text);
  const verdict = outOfMemoryVerdict(result);
  if (options.json) return answerJson({ ...result, verdict }, options, [input]);
  const [answer, passages] = [verdictSentence(verdict), crashPassages(result, verdict)];
  return options.markdown
    ? passagesMarkdown(answer, passages)
    : passagesText(answer, passages, terminal().color);
}

/** `record --repeat`: what its runs left behind on average. */
async function repeatsReport(
  runs: readonly string[],
  folder: string,
  options: Options,
): Promise<string> {
  const [found, { repeatsLines }] = [
    await repeatsOf(runs),
    await import('../../views/report/repeats.ts'),
  ];
  if (options.json) {
    const { repeatsVerdict } = await import('../../analyses/verdict/others.ts');
    return answerJson({ ...found, verdict: repeatsVerdict(found) }, options, [folder]);
  }
  const each = `${runs.length} runs; one of them: highwater report ${runs.at(-1)}`;
  return `${[...repeatsLines(found), each].join('\n')}\n`;
}

/** One run tells nothing of another size. */
function tableOf(input: string | undefined): string {
  if (input?.endsWith('.csv')) return input;
  throw new UserError('--fit needs several sizes: a sweep, or a table of peaks (.csv)', {
    hint: 'run one: highwater sweep --param batch=4,8,16,24 --fit 24GiB -- …',
  });
}

async function seriesList(result: Report, path: string, options: Options): Promise<string> {
  const [{ runFigures }, { gateable }, { seriesText }, { seriesVerdict }] = await Promise.all([
    import('../../analyses/check/run-figures.ts'),
    import('../../analyses/check/gateable-series.ts'),
    import('../../views/check/check.ts'),
    import('../../analyses/verdict/others.ts'),
  ]);
  const list = gateable(runFigures(result));
  if (!options.json) return seriesText(list);
  return answerJson({ ...list, verdict: seriesVerdict(list) }, options, [path]);
}

/** Colour only where a person looks on and has not asked for none. */
function terminal(): { color: boolean; width?: number } {
  const { isTTY, columns } = process.stdout;
  return { color: isTTY === true && !process.env.NO_COLOR, width: isTTY ? columns : undefined };
}
