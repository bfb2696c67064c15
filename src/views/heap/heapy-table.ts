/** Heapy's width of a line. */
const WIDTH = 100;

/** A line broken at spaces and after hyphens, as Python's textwrap does; lines after the first are indented. */
export function wrapLine(text: string, indent: number, width = WIDTH): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = '';
  const flush = () => {
    lines.push(line.trimEnd());
    line = ' '.repeat(indent);
  };
  for (const word of text.match(/\s+|[^\s-]+-+|[^\s-]+|-+/g) ?? []) {
    let rest = word;
    if (line.length + rest.length > width && rest.length <= width - indent) {
      flush();
      if (rest.trim() === '') continue;
    }
    // A word that fits no line fills this one, and goes on in the next.
    while (line.length + rest.length > width) {
      const room = width - line.length;
      line += rest.slice(0, room);
      rest = rest.slice(room);
      flush();
    }
    line += rest;
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  return lines;
}

/** A share in whole percent, halves to the even number, as Python prints them. */
export function wholePercent(part: number, whole: number): number {
  if (whole === 0) return 0;
  const value = (part * 100) / whole;
  const low = Math.floor(value);
  if (value - low !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}

/** What Heapy prints below a table that goes on; nothing below one that does not. */
export const moreRows = (hidden: number): string[] =>
  hidden > 0 ? [`<${hidden} more rows. Type e.g. '_.more' to view.>`] : [];
