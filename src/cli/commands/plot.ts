import { Option } from 'commander';
import { fields } from '../../analyses/fields.ts';
import { type Report, report } from '../../analyses/report.ts';
import { defaultSeries, timeline } from '../../analyses/timeline.ts';
import { UserError } from '../../base/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { fieldsChart } from '../../views/chart/grid.ts';
import { DARK, LIGHT } from '../../views/chart/palette.ts';
import type { Scene } from '../../views/chart/scene.ts';
import { timelineChart } from '../../views/chart/timeline.ts';
import { chartTitle } from '../../views/chart/title.ts';
import { newCommand, numberBetween, runCommand } from '../command.ts';
import { openInput } from '../open.ts';
import { defaultPicture, pictureKind, writePicture } from '../picture.ts';

const EXAMPLE = `highwater plot -o memory.png
highwater plot train.hw --series tree.pss,host.used --style points -t "LeNet, batch 64" -o memory.svg
highwater plot train.hw --fields -o meminfo.svg`;

interface PlotOptions {
  out?: string;
  title?: string;
  series?: string;
  style: 'lines' | 'points';
  fields?: true;
  dark?: true;
  width?: number;
  height?: number;
  scale: number;
}

/** A chart of one run, as SVG or PNG. */
export async function run(argv: readonly string[]): Promise<number> {
  // Below this, labels would take the place of the data.
  const pixels = numberBetween(320, 10_000, 'pixels');
  const command = newCommand('plot', 'a chart of memory over time, as SVG or PNG', EXAMPLE)
    .argument('[recording]', 'a recording, a packed one or a foreign file (default: the newest)')
    .option('-o, --out <file>', 'where to write, .svg or .png (default: <name>.svg here)')
    .option('-t, --title <text>', 'title (default: the command)')
    .option('--series <names>', 'what to draw, as host.used,tree.pss (default: what matters)')
    .addOption(styleOption())
    .option('--fields', 'a grid of all fields of /proc/meminfo instead')
    .option('--dark', 'light on dark')
    .option('--width <pixels>', 'width of the picture', pixels)
    .option('--height <pixels>', 'height of the picture (of a grid: as needed)', pixels)
    .option('--scale <factor>', 'PNG pixels for each pixel', numberBetween(0.5, 8, 'a factor'), 2)
    .action(async (input: string | undefined, options: PlotOptions) => {
      if (options.out !== undefined) pictureKind(options.out);
      const recording = await openInput(input);
      const out = options.out ?? defaultPicture(recording.run.name);
      await writePicture(out, scene(recording, options), options.scale);
      process.stdout.write(`${out}\n`);
    });
  return runCommand(command, argv);
}

const styleOption = () =>
  new Option('--style <style>', 'how to draw samples')
    .choices(['lines', 'points'])
    .default('lines');

function scene(recording: Recording, options: PlotOptions): Scene {
  const { width, height, style } = options;
  const facts = report(recording);
  const title = options.title ?? chartTitle(facts);
  const theme = options.dark ? DARK : LIGHT;
  if (options.fields) {
    const data = fields(recording);
    if (data.fields.length === 0) throw nothingToDraw('fields of /proc/meminfo');
    return fieldsChart(data, { title, width, theme });
  }
  const data = timeline(recording, seriesNames(options, facts));
  return timelineChart(data, { title, width, height, style, theme, leak: facts.leak });
}

function seriesNames(options: PlotOptions, facts: Report): string[] {
  const asked = options.series?.split(',').map((name) => name.trim());
  const names = [...new Set(asked?.filter(Boolean) ?? defaultSeries(facts))];
  if (names.length === 0) throw nothingToDraw('memory samples');
  return names;
}

const nothingToDraw = (what: string) => new UserError(`this recording has no ${what} to draw`);
