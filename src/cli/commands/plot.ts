import { type Command, Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { DARK, LIGHT } from '../../views/chart/palette.ts';
import { alignOption } from '../flags/alignment.ts';
import { addHintOptions, type HintOptions, hintsOf } from '../flags/hints.ts';
import { numberBetween } from '../flags/parse.ts';
import { addRangeOptions, type RangeOptions, rangeOf } from '../flags/time-range.ts';
import { pictureKind, writePicture } from '../output/picture.ts';
import { show } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';
import { PLOT_KINDS } from './plot/index.ts';
import type { PlotOptions } from './plot/plot-kind.ts';

const EXAMPLE = `highwater plot -o memory.png
highwater plot train.hw --series tree.pss,host.used --style points -t "LeNet, batch 64" -o memory.svg
highwater plot train.hw --fields -o meminfo.svg
highwater plot train.hw --layers -o layers.png
highwater plot train.hw --cpu -o memory-and-cpu.png
highwater plot train.hw --from 30s --to 2m -o step.pdf
highwater plot memory_*.txt --align first-rise -o variants.png
highwater plot memory_analysis -f 1 -s all -o categories.png`;

interface Options
  extends Omit<PlotOptions, 'theme' | 'hints' | 'range'>,
    HintOptions,
    RangeOptions {
  readonly dark?: true;
  readonly scale: number;
}

/** A chart of one run, or of several over each other, as SVG, PNG or PDF. */
export function command(): Command {
  // Below this, labels would take the place of the data.
  const pixels = numberBetween(320, 10_000, 'pixels');
  const percent = numberBetween(0, 100, 'a percentage');
  return addRangeOptions(
    addHintOptions(
      newCommand('plot', 'a chart of memory over time, as SVG, PNG or PDF', EXAMPLE)
        .argument(
          '[recordings...]',
          'recordings, packed ones or foreign files; several are laid over each other (default: the newest)',
        )
        .option('-o, --out <file>', 'where to write, .svg, .png or .pdf (default: <name>.svg here)')
        .option('-t, --title <text>', 'title (default: the command)')
        .option('--series <names>', 'what to draw, as host.used,tree.pss (default: what matters)')
        .addOption(styleOption())
        .option('--cpu', 'one run: how much of the processors it used, below its memory')
        .option('--fields', 'a grid of all fields of /proc/meminfo instead')
        .option('--layers', 'bars of what each layer of a model held (docs/layers.md)')
        .option('--accounting', "what a process's memory was made of, over its iterations")
        .option('--absolute', 'several runs: do not take off what was in use before each')
        .addOption(alignOption('several runs'))
        .option('-f, --fraction <percent>', 'analyses: leave out smaller categories', percent)
        .addOption(
          new Option('-s, --setting <how>', 'analyses: all in one picture').choices(['all']),
        )
        .addOption(
          new Option('--format <kind>', 'analyses: what to write').choices(['svg', 'png', 'pdf']),
        )
        .option('--dark', 'light on dark')
        .option('--width <pixels>', 'width of the picture', pixels)
        .option('--height <pixels>', 'height of the picture (of a grid: as needed)', pixels)
        .option(
          '--scale <factor>',
          'PNG pixels for each pixel',
          numberBetween(0.5, 8, 'a factor'),
          2,
        ),
    ),
  );
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, plot);
}

async function plot(inputs: string[], given: Options): Promise<void> {
  const range = rangeOf(given);
  const options = { ...given, range, theme: given.dark ? DARK : LIGHT, hints: hintsOf(given) };
  for (const kind of PLOT_KINDS) {
    if (!(await kind.wants(inputs, options))) continue;
    if (range && !kind.overTime)
      throw new UserError('--from and --to are for charts over time', { hint: 'leave them out' });
    if (given.cpu && !kind.withCpu)
      throw new UserError('--cpu is for the timeline of one recording', {
        hint: 'name one of them',
      });
    if (given.out !== undefined && !kind.toFolder) pictureKind(given.out);
    for (const { scene, out } of await kind.draw(inputs, options)) {
      await writePicture(out, scene, given.scale);
      show(`${out}\n`);
    }
    return;
  }
}

const styleOption = () =>
  new Option('--style <style>', 'how to draw samples')
    .choices(['lines', 'points'])
    .default('lines');
