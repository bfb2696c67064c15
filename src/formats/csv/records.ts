import { FormatError } from '../../base/errors.ts';
import type { Input } from '../input.ts';

/** One record of a file and the line it begins on. */
export interface CsvRecord {
  readonly cells: string[];
  readonly line: number;
}

/** A quoted cell longer than this is a quote that somebody forgot to close. */
const MAX_RECORD = 1 << 20;

/** The cells of one record; null when its quotes are not those of RFC 4180. */
export function parseRecord(text: string): string[] | null {
  if (!text.includes('"')) return text.split(',');
  const cells: string[] = [];
  const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;
  for (;;) {
    const match = cell.exec(text);
    if (!match) return null;
    cells.push(match[1] !== undefined ? match[1].replaceAll('""', '"') : match[2]!);
    if (match[3] === '') return cells;
  }
}

/**
 * The records of a file without blank ones. A last line that has no line end may be cut in the
 * middle of a number, so it is handed to `onCut` instead of being believed.
 */
export function* readRecords(input: Input, onCut: (line: number) => void): Generator<CsvRecord> {
  let line = 0;
  let pending = '';
  let begun = 0;
  let openQuote = false;
  for (const text of input.lines({ keepEnds: true })) {
    line++;
    if (pending === '') begun = line;
    pending += text;
    if (oddQuotes(text)) openQuote = !openQuote;
    if (pending.length > MAX_RECORD) throw unclosed(input, begun);
    if (openQuote) continue;
    const record = pending.replace(/\r?\n$/, '');
    const whole = record !== pending;
    pending = '';
    if (record.trim() === '') continue;
    if (!whole) {
      onCut(begun);
      continue;
    }
    const cells = parseRecord(record);
    if (!cells) throw new FormatError(`${input.name}, line ${begun}: quotes that do not match`);
    yield { cells, line: begun };
  }
  if (pending === '') return;
  // Over several lines it is more likely a stray quote, which would swallow good rows.
  if (line > begun) throw unclosed(input, begun);
  onCut(begun);
}

function unclosed(input: Input, line: number): FormatError {
  return new FormatError(`${input.name}, line ${line}: a quote is opened and never closed`);
}

function oddQuotes(text: string): boolean {
  let odd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) odd = !odd;
  return odd;
}
