import { readFileSync } from 'node:fs';
import type { FitMeasures, FitRun, InUse } from '../analyses/fit/index.ts';
import { GiB, MiB } from '../base/bytes.ts';
import { FormatError } from '../base/errors.ts';
import { parseRecord } from '../formats/csv/records.ts';
import { orUserError } from '../model/disk/files.ts';

/** Peaks that somebody measured, by whatever means. */
export interface PeakTable {
  readonly runs: readonly FitRun[];
  readonly measures: FitMeasures;
  readonly inUse: InUse;
}

/** A column of bytes by its name: `reserved_peak`, `device_used`, `peak_mib` … all others are parameters. */
const PEAK = /^(?:peak|used)$|[_ .-](?:peak|used|bytes)$|[_ .-](?:mib|gib)$/i;
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/mib$/i, MiB],
  [/gib$/i, GiB],
];
const LIVE = /^(?:requested|live|active)/i;
const HELD = /^(?:reserved|held)/i;
const DEVICE = /^device/i;
/** Each contains the one before: what was asked for, rounded up, with the cache, with the context. */
const CHAIN = [/^(?:requested|live)/i, /^allocated/i, /^active/i, HELD, DEVICE];

/** Reads a table with a column for each parameter and each kind of peak, a row each run. */
export function readPeakTable(path: string): PeakTable {
  const text = orUserError(path, () => readFileSync(path, 'utf8'));
  const lines = text
    .split(/\r?\n/)
    .flatMap((line, i) => (line.trim() === '' ? [] : [{ line, number: i + 1 }]));
  const [head, ...body] = lines.map(({ line, number }) => {
    const cells = parseRecord(line);
    if (!cells) throw new FormatError(`${path}, line ${number}: quotes that do not match`);
    return { number, cells: cells.map((cell) => cell.trim()) };
  });
  const names = head?.cells ?? [];
  const figures = names.filter((name) => PEAK.test(name));
  if (figures.length === 0 || figures.length === names.length || body.length === 0) {
    throw new FormatError(`${path} is no table of peaks`, {
      hint: 'it needs a column for each parameter, one whose name ends in _peak, _used, _bytes, _mib or _gib, and rows',
    });
  }
  const runs = body.map(({ cells, number }) => {
    if (cells.length !== names.length) {
      throw new FormatError(
        `${path}, line ${number}: ${cells.length} cells, and the head has ${names.length}`,
      );
    }
    return tableRun(names, figures, cells, `${path}, line ${number}`);
  });
  return { runs, ...meaning(figures, runs) };
}

function tableRun(
  names: readonly string[],
  figures: readonly string[],
  cells: readonly string[],
  where: string,
): FitRun {
  const params: Record<string, string> = {};
  const bytes: Record<string, number> = {};
  for (const [i, name] of names.entries()) {
    const cell = cells[i]!;
    if (!figures.includes(name)) params[name] = cell;
    // An empty cell was not measured.
    else if (cell !== '') bytes[name] = bytesOf(cell, name, where);
  }
  return { params, figures: bytes, outOfMemory: false };
}

function bytesOf(cell: string, name: string, where: string): number {
  const value = Number(cell);
  if (!(value >= 0 && Number.isFinite(value)))
    throw new FormatError(`${where}: '${cell}' is no ${name}`);
  return value * (UNITS.find(([ending]) => ending.test(name))?.[1] ?? 1);
}

/** What an allocator reserved is held against the limit; the device's own use is what it shows beyond that. */
function meaning(
  figures: readonly string[],
  runs: readonly FitRun[],
): Pick<PeakTable, 'measures' | 'inUse'> {
  const device = figures.find((name) => DEVICE.test(name));
  const live = figures.find((name) => LIVE.test(name));
  const held =
    figures.find((name) => HELD.test(name)) ??
    device ??
    figures.find((name) => name !== live) ??
    figures[0]!;
  const others = figures.filter((name) => name !== held && name !== live);
  const chain = CHAIN.flatMap((role) => figures.find((name) => role.test(name)) ?? []);
  const own = runs.flatMap(({ figures: { [held]: ours, [device ?? '']: all } }) =>
    ours !== undefined && all !== undefined ? [all - ours] : [],
  );
  const beyond = device && device !== held ? Math.max(0, ...own) : 0;
  return {
    measures: {
      held,
      live: live && live !== held ? live : null,
      others,
      ...(chain.includes(held) && { chain, cached: true }),
    },
    inUse: {
      bytes: beyond,
      what:
        beyond > 0 ? `context and others: ${device} beyond ${held}` : 'nothing beside was measured',
    },
  };
}
