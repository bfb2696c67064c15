import { parseSize } from '../../../base/bytes.ts';
import type { OomFigures, OomPlace } from '../../../model/out-of-memory.ts';

/** One wording of one program: how a line of it is told, and what is read off it. */
export interface Message {
  readonly source: string;
  readonly place: OomPlace;
  readonly when: RegExp;
  /** `text`: the line, with those after it where `more` asks for them. */
  readonly read?: (text: string) => Partial<OomFigures>;
  /** How many lines after it belong to it: some break theirs at the width of a terminal, some write lists. */
  readonly more?: number;
}

const SIZE = String.raw`(\d{1,20}(?:\.\d{1,6})?) ?(bytes|[KMGT]i?B?|B)\b`;

const PATTERNS = new Map<string, RegExp>();

/** Bytes where a pattern has `SIZE`; powers of 1024, also of those that write MB, as all of these programs count so. */
export function size(text: string, pattern: RegExp): number | undefined {
  let full = PATTERNS.get(pattern.source);
  if (!full) {
    full = new RegExp(pattern.source.replace('SIZE', SIZE), pattern.flags);
    PATTERNS.set(pattern.source, full);
  }
  const m = full.exec(text);
  return m ? bytesOf(m[1]!, m[2]!) : undefined;
}

/** All places where the pattern, which has one SIZE, fits. */
export function sizes(text: string, pattern: RegExp): number[] {
  const full = new RegExp(pattern.source.replace('SIZE', SIZE), 'g');
  return [...text.matchAll(full)].flatMap((m) => bytesOf(m[1]!, m[2]!) ?? []);
}

function bytesOf(number: string, unit: string): number | undefined {
  const written = unit === 'bytes' ? 'B' : unit.replace(/^([KMGT])i?B?$/i, '$1iB');
  const bytes = parseSize(`${number}${written}`);
  // 17179869184.00 GiB free is a negative number that an old PyTorch printed as unsigned.
  return bytes < 2 ** 50 ? bytes : undefined;
}

export function integer(text: string, pattern: RegExp): number | undefined {
  const m = pattern.exec(text);
  return m ? Number(m[1]) : undefined;
}

/** A number that the pattern finds, in units of so many bytes. */
export function inUnits(text: string, pattern: RegExp, unit: number): number | undefined {
  const found = integer(text, pattern);
  return found === undefined ? undefined : Math.round(found * unit);
}
