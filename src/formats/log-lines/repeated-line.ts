import type { LineMark } from './mark.ts';

/** What all lines of one print statement have in common, seen in one of them. */
export interface RepeatedLine {
  /** The number that a line counts; null for a line that differs in more than figures. */
  numberIn(line: string): number | null;
  /** Its lines begin with the time. */
  readonly stamped: boolean;
}

const CLOCK = /\d\d:\d\d:\d\d(?:[.,]\d{1,9})?/;
const ZERO = 48;
const isDigit = (code: number) => code >= ZERO && code <= 57;

/** null where the line has no such form, as a bar whose length changes. */
export function repeatedLine(
  line: string,
  { iteration, stamp }: LineMark,
  stamped: boolean,
): RepeatedLine | null {
  // A time within an object stands anywhere; only that at a line's beginning keeps its place.
  if (iteration === undefined || (stamp && !stamped)) return null;
  const clock = stamped ? CLOCK.exec(line) : null;
  if (stamped && !clock) return null;
  const start = clock ? clock.index + clock[0].length : 0;
  const digits = String(iteration);
  const at = placeOf(line, digits, start);
  if (at < 0) return null;
  const prefix = line.slice(start, at);
  const rest = line.slice(at + digits.length);
  // An epoch further on changes without the rest being any different.
  if (/epoch/i.test(rest)) return null;
  const total = /^\s{0,2}(?:\/|of)\s{0,8}(\d{1,12})/.exec(rest);
  const most = total ? Number(total[1]) : Number.POSITIVE_INFINITY;
  const words = /^\D*/.exec(rest.slice(total?.[0].length ?? 0))![0];
  const after = (total?.[0] ?? '') + words;
  const isAll = after.length === rest.length;
  return {
    stamped,
    numberIn(text) {
      if (!text.startsWith(prefix, start)) return null;
      let end = start + prefix.length;
      let number = 0;
      for (let code = text.charCodeAt(end); isDigit(code); ) {
        number = number * 10 + code - ZERO;
        code = text.charCodeAt(++end);
      }
      // The last of a count is more than one more: what follows begins anew.
      if (end === start + prefix.length || number >= most || number > 1e12) return null;
      const same = text.startsWith(after, end) && (!isAll || text.length === end + after.length);
      return same ? number : null;
    },
  };
}

/** Where the number stands by itself; -1 where it does so nowhere or twice. */
function placeOf(line: string, digits: string, from: number): number {
  let found = -1;
  for (let at = line.indexOf(digits, from); at >= 0; at = line.indexOf(digits, at + 1)) {
    if (isFigure(line.charCodeAt(at - 1)) || isFigure(line.charCodeAt(at + digits.length)))
      continue;
    if (found >= 0) return -1;
    found = at;
  }
  return found;
}

const isFigure = (code: number) => isDigit(code) || code === 46;
