import type { Command } from 'commander';
import { type Comparison, compare } from '../../analyses/compare/index.ts';
import { type Alignment, overlay } from '../../analyses/overlay.ts';
import { UserError } from '../../base/errors.ts';
import { type OpenedRuns, openRuns } from '../../open/runs.ts';
import { overlayChart } from '../../views/chart/overlay/overlay.ts';
import { comparisonMarkdown, comparisonText } from '../../views/compare/comparison.ts';
import { alignOption } from '../flags/alignment.ts';
import { addHintOptions, type HintOptions, hintsOf } from '../flags/hints.ts';
import { addJsonFlags, answerJson, type JsonFlags } from '../output/json.ts';
import { pictureKind, writePicture } from '../output/picture.ts';
import { saySkipped, skippedWords } from '../output/skipped-inputs.ts';
import { show, tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

const EXAMPLE = `highwater compare memory_*.txt -o variants.png
highwater compare batch8.hw batch16.hw --against batch8
highwater compare highwater-runs/train-job-4711   # the ranks of one job
highwater compare sweep/ --series tree.pss --json
highwater compare before.pickle after.pickle      # which call stacks grew
highwater compare before.pb.gz after.pb.gz         # the same of heap profiles (JAX, Go, pprof)`;

interface Options extends HintOptions, JsonFlags {
  readonly markdown?: true;
  readonly series?: string;
  readonly against?: string;
  readonly out?: string;
  readonly title?: string;
  readonly absolute?: true;
  readonly align: Alignment;
}

/** Runs side by side: a table, and all of them in one picture. */
export function command(): Command {
  return addHintOptions(
    addJsonFlags(
      newCommand('compare', 'runs side by side: peaks, durations, one chart', EXAMPLE).argument(
        '<runs...>',
        'recordings, logs and memory snapshots of other tools, or folders of them',
      ),
    )
      .option('--markdown', 'for an issue or a pull request')
      .option('--series <name>', 'compare in this, as gpu0.used (default: what all have)')
      .option('--against <run>', 'differences from this run (default: of all pairs, in --json)')
      .option('-o, --out <file>', 'also draw all runs into a picture, .svg, .png or .pdf')
      .option('-t, --title <text>', 'title of the picture')
      .option('--absolute', 'picture: do not take off what was in use before each run')
      .addOption(alignOption('picture')),
  );
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, compareRuns);
}

async function compareRuns(inputs: string[], options: Options): Promise<void> {
  if (options.out !== undefined) pictureKind(options.out);
  const opened = await openRuns(inputs, hintsOf(options));
  const result = compareOpened(opened, options);
  saySkipped(result.skipped);
  if (options.out !== undefined) await draw(opened, options, options.out);
  show(
    options.json
      ? answerJson(result, options)
      : options.markdown
        ? comparisonMarkdown(result)
        : comparisonText(result),
  );
}

function compareOpened({ runs, skipped, job }: OpenedRuns, options: Options): Comparison {
  const result = compare(runs, { series: options.series, baseline: options.against, job });
  const all = [...skipped, ...result.skipped];
  if (result.runs.length === 0 && !result.allocations && result.liveStacks.length === 0) {
    const [first] = all;
    const more = all.length > 1 ? ` (and ${all.length - 1} more)` : '';
    throw new UserError(`nothing to compare: ${first ? skippedWords(first) : 'no run'}${more}`);
  }
  return { ...result, skipped: all };
}

async function draw(opened: OpenedRuns, options: Options, out: string): Promise<void> {
  const data = overlay(opened.runs, {
    series: options.series,
    align: options.align,
    baseline: options.absolute ? 'absolute' : 'subtracted',
  });
  await writePicture(out, overlayChart(data, { title: options.title }), 2);
  tell(`highwater: picture in ${out}\n`);
}
