import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { figures } from './figures.ts';
import type { Stats } from './stats.ts';

const FOLDER = 'memory_csv_data';

/** A row each printed iteration: the columns of the original in whole MB, then ours in bytes. They stay
 * those of the first row. */
export class CsvFile {
  readonly path: string;
  #columns: Column[] | null = null;

  constructor(now = new Date()) {
    this.path = freePath(now);
  }

  append(stats: Stats): void {
    if (!this.#columns) {
      this.#columns = columnsOf(stats);
      mkdirSync(FOLDER, { recursive: true });
      appendFileSync(this.path, line(this.#columns.map(({ name }) => name)));
    }
    appendFileSync(this.path, line(this.#columns.map(({ value }) => value(stats))));
  }
}

interface Column {
  readonly name: string;
  readonly value: (stats: Stats) => number | string;
}

function columnsOf(first: Stats): Column[] {
  type ByName = (stats: Stats) => ReadonlyMap<string, number>;
  const figure = (name: string, unit: (bytes: number) => number) => (stats: Stats) => {
    const bytes = figures(stats)[name];
    return bytes == null ? '' : unit(bytes);
  };
  const whole = (name: string): Column => ({ name, value: figure(name, megabytes) });
  const each = (of: ByName, suffix: string, unit: (bytes: number) => number): Column[] =>
    [...of(first).keys()].map((name) => ({
      name: `${name || 'other'}${suffix}`,
      value: (stats) => unit(of(stats).get(name) ?? 0),
    }));
  return [
    { name: 'epoch', value: (stats) => stats.epoch },
    { name: 'iteration', value: (stats) => stats.iteration },
    whole('peak_cached'),
    whole('current_cached'),
    whole('total_feature_map_usage'),
    whole('total_weight_usage'),
    ...each((stats) => stats.weights, '', megabytes),
    whole('total_layer_weight_gradient_usage'),
    ...each((stats) => stats.gradients, '_grad', megabytes),
    whole('intermediate_gradients'),
    ...Object.keys(figures(first)).map(
      (name): Column => ({ name: `${name}_bytes`, value: figure(name, exactly) }),
    ),
    { name: 'peak_at', value: (stats) => stats.peakLayer },
    ...each((stats) => stats.buffers, '_buffer_bytes', exactly),
    ...each((stats) => stats.optimizer, '_state_bytes', exactly),
    ...each((stats) => stats.featureMaps, '_feature_map_bytes', exactly),
  ];
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6);
const exactly = (bytes: number) => bytes;

function line(cells: readonly (number | string)[]): string {
  const quoted = cells.map((cell) => {
    const text = String(cell);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${quoted.join(',')}\n`;
}

/** Named by the second; a second profiler in the same second takes the next. */
function freePath(now: Date): string {
  for (let at = now.getTime(); ; at += 1000) {
    const local = new Date(at - now.getTimezoneOffset() * 60_000).toISOString();
    const path = join(FOLDER, `${local.slice(0, 19).replace(/\D/g, '')}.csv`);
    if (!existsSync(path)) return path;
  }
}
