import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ANALYSIS, type SavedAnalysis, savedAnalysis } from '../../../analyses/tags/saved.ts';
import { UserError } from '../../../base/errors.ts';
import { orUserError } from '../../../model/disk/files.ts';
import { type BarsOptions, barsChart, barsGrid } from '../../../views/chart/bars/bars.ts';
import type { Drawing, PlotKind, PlotOptions } from './plot-kind.ts';

const FOLDER = 'memory_analysis_graphs';

/** Bars of the categories that `analyze` found: a picture each log, or one of them all. */
export const barsPlot: PlotKind = {
  wants: (inputs, options) =>
    inputs.length > 0 &&
    (options.setting === 'all' ||
      inputs.every((path) => path.endsWith(ANALYSIS) || analysesIn(path) !== null)),
  toFolder: true,
  async draw(inputs, options) {
    const files = inputs.flatMap((path) => analysesIn(path) ?? [path]).map(read);
    if (files.length === 0) {
      throw new UserError(`there is no analysis in ${inputs.join(', ')}`, {
        hint: 'make some: highwater analyze <logs>',
      });
    }
    return options.setting === 'all' ? oneForAll(files, options) : oneEach(files, options);
  },
};

interface File {
  /** With _ANALYSIS. */
  readonly name: string;
  readonly analysis: SavedAnalysis;
}

/** The analyses right in a folder; null where it is none, or holds other things only. */
function analysesIn(path: string): string[] | null {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return null;
  const names = orUserError(path, () => readdirSync(path));
  const found = names.filter((name) => name.endsWith(ANALYSIS)).sort();
  return found.length > 0 || names.length === 0 || /memory_analysis\/*$/.test(path)
    ? found.map((name) => join(path, name))
    : null;
}

function read(path: string): File {
  const text = String(orUserError(path, () => readFileSync(path)));
  return { name: basename(path), analysis: savedAnalysis(path, text) };
}

function oneEach(files: readonly File[], options: PlotOptions): Drawing[] {
  if (files.length === 1 && isPicture(options.out)) {
    return [{ out: options.out!, scene: barsChart(files[0]!.analysis, barsOptions(options)) }];
  }
  if (isPicture(options.out)) {
    throw new UserError(`${files.length} analyses do not go into one picture like that`, {
      hint: 'name a folder with -o, or add -s all',
    });
  }
  const folder = madeFolder(options);
  const taken = new Set<string>();
  return files.map(({ name, analysis }) => {
    if (taken.has(name)) {
      throw new UserError(`two analyses are called ${name}`, {
        hint: 'draw them one at a time, each with an -o of its own',
      });
    }
    taken.add(name);
    const out = join(folder, `${name}_mem_graph.${options.format ?? 'svg'}`);
    return { out, scene: barsChart(analysis, barsOptions(options)) };
  });
}

function oneForAll(files: readonly File[], options: PlotOptions): Drawing[] {
  const analyses = files.map(({ analysis }) => analysis);
  const out = isPicture(options.out)
    ? options.out!
    : join(madeFolder(options), `memory_profile_graphs.${options.format ?? 'svg'}`);
  return [{ out, scene: barsGrid(analyses, barsOptions(options)) }];
}

const isPicture = (out: string | undefined) => out !== undefined && /\.(svg|png)$/i.test(out);

function madeFolder({ out = FOLDER }: PlotOptions): string {
  orUserError(out, () => mkdirSync(out, { recursive: true }), 'write');
  return out;
}

const barsOptions = ({ title, width, height, theme, fraction }: PlotOptions): BarsOptions => ({
  title,
  width,
  height,
  theme,
  leastShare: fraction === undefined ? 0 : fraction / 100,
});
