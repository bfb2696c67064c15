import { FormatError } from '../../base/errors.ts';
import type { Input } from '../input.ts';
import { type LineStamp, lineStamp } from '../log-lines/index.ts';

/** One output of `free`. Cells are texts still: what unit they have shows only over all of them. */
export interface FreeTable {
  /** Line of its header. */
  readonly line: number;
  /** The time glued before the header, in Unix seconds. */
  readonly glued: string | null;
  /** The time on a line of its own above it. */
  readonly stamp: LineStamp | null;
  readonly columns: readonly string[];
  readonly rows: Map<string, { readonly line: number; readonly cells: readonly string[] }>;
  /** The number on a line of its own below it: the sampler's own memory. */
  own: { readonly line: number; readonly text: string } | null;
}

const HEADER = /^(\d{9,11}(?:\.\d{0,9})?|)\s+total\s+used\s+free\s+(\S.*)$/;
const ROW = /^(Mem|-\/\+ buffers\/cache|Swap|Low|High|Total|Comm):\s+(\S.*)$/;
const OWN = /^(?:\d{1,15}|-)$/;
const COLUMNS: ReadonlySet<string> = new Set([
  'shared',
  'buffers',
  'cached',
  'cache',
  'buff/cache',
  'available',
]);

/** The tables of a file; one that is cut off at the end is handed to `onCut`. */
export function* freeTables(input: Input, onCut: (line: number) => void): Generator<FreeTable> {
  let table: FreeTable | null = null;
  let stamp: { at: LineStamp; line: number } | null = null;
  let owned = false;
  let number = 0;
  for (const raw of input.lines({ keepEnds: true })) {
    number++;
    const line = raw.replace(/\s+$/, '');
    const whole = raw.endsWith('\n');
    if (line === '') continue;
    if (!whole) continue;
    const header = HEADER.exec(line);
    const place = `${input.name}, line ${number}`;
    if (header) {
      if (table) yield finished(input, table);
      table = newTable(header, number, stamp?.at ?? null, place);
      stamp = null;
      continue;
    }
    const row = ROW.exec(line);
    const known: FreeTable | null = table;
    if (row && known && !known.rows.has(row[1]!) && !stamp) {
      known.rows.set(row[1]!, { line: number, cells: row[2]!.split(/\s+/) });
    } else if (OWN.test(line) && known?.rows.has('Swap') && !known.own && !stamp) {
      known.own = { line: number, text: line };
      owned = true;
    } else {
      const at: LineStamp | null =
        stamp || (known && !known.rows.has('Swap')) ? null : lineStamp(line);
      if (!at) throw new FormatError(`${place}: '${line.slice(0, 60)}' is no line of free here`);
      stamp = { at, line: number };
    }
  }
  if (!table) return;
  const cut = !table.rows.has('Mem') || !table.rows.has('Swap') || (owned && !table.own);
  if (cut) onCut(table.line);
  else yield table;
}

function newTable(
  header: RegExpExecArray,
  line: number,
  stamp: LineStamp | null,
  place: string,
): FreeTable {
  const others = header[2]!.split(/\s+/);
  const unknown = others.find((name) => !COLUMNS.has(name));
  if (unknown !== undefined || new Set(others).size !== others.length) {
    throw new FormatError(`${place}: free has no column '${unknown ?? others.join(' ')}' here`);
  }
  const columns = ['total', 'used', 'free', ...others];
  return { line, glued: header[1] || null, stamp, columns, rows: new Map(), own: null };
}

function finished(input: Input, table: FreeTable): FreeTable {
  for (const row of ['Mem', 'Swap']) {
    if (table.rows.has(row)) continue;
    throw new FormatError(`${input.name}, line ${table.line}: this record has no row ${row}`);
  }
  return table;
}
