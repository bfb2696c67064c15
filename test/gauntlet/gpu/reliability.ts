import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reportOf } from './judged.ts';
import { gpuPrograms } from './truth.ts';

/** A cause that a report named, how sure it was, and whether it is the true one. */
export interface NamedCause {
  readonly certainty: number;
  readonly right: boolean;
}

export interface Band {
  /** From here to below `to`. */
  readonly from: number;
  readonly to: number;
  readonly named: number;
  readonly right: number;
}

const BANDS: readonly (readonly [number, number])[] = [
  [0.5, 0.7],
  [0.7, 0.9],
  [0.9, Number.POSITIVE_INFINITY],
];

/** Of the causes that were called so sure, how many were right. */
export function reliability(causes: readonly NamedCause[]): Band[] {
  return BANDS.map(([from, to]) => {
    const named = causes.filter(({ certainty }) => certainty >= from && certainty < to);
    return { from, to, named: named.length, right: named.filter(({ right }) => right).length };
  });
}

/** Rows of Markdown, as docs/report.md has them. */
export function reliabilityTable(bands: readonly Band[]): string {
  const percent = (share: number) => `${Math.round(100 * share)} %`;
  const rows = bands.map(({ from, to, named, right }) => {
    const called = Number.isFinite(to)
      ? `${percent(from)} to ${percent(to)}`
      : `${percent(from)} or more`;
    return `| ${called} | ${named} | ${right} | ${named === 0 ? '' : percent(right / named)} |`;
  });
  return ['| called | causes | right | share |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The causes that the reports of a folder's recordings name; of a run that is in several folders the last counts. */
async function namedIn(folders: readonly string[]): Promise<NamedCause[]> {
  const found: NamedCause[] = [];
  for (const { name, truth } of gpuPrograms()) {
    const path = folders.map((folder) => join(folder, `${name}.hwz`)).findLast(existsSync);
    if (!path) continue;
    const { verdict } = await reportOf(path);
    const named = verdict.causes.map(({ id, certainty }) => ({
      certainty,
      right: (id as string) === truth.cause,
    }));
    found.push(...named);
  }
  return found;
}

/** `npx tsx test/gauntlet/gpu/reliability.ts FOLDER...`: the table over all runs that run.py recorded there. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folders = process.argv.slice(2);
  if (folders.length === 0) throw new Error('name the folders that run.py wrote to');
  console.log(reliabilityTable(reliability(await namedIn(folders))));
}
