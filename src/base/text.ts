/** `1 process`, `3 processes`. */
export function count(n: number, singular: string, plural = `${singular}s`): string {
  return `${n} ${n === 1 ? singular : plural}`;
}

/** Rows as aligned columns; numbers (columns named in `right`) are set flush right. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  right: ReadonlySet<number> = new Set(),
): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length);
    });
  }
  return rows.map((row) =>
    row
      .map((cell, i) => (right.has(i) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd(),
  );
}

/** Shortened in the middle, so that both the program and the last argument stay readable: the end begins with a whole word where it has several. */
export function ellipsize(text: string, width: number): string {
  if (text.length <= width) return text;
  const length = Math.floor((width - 1) / 3);
  const tail = length > 0 ? text.slice(-length) : '';
  return `${text.slice(0, width - 1 - length)}…${tail.slice(Math.max(0, tail.indexOf(' ')))}`;
}

/** An argv as one would type it. */
export function shellJoin(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** Control characters, and those that turn the direction of writing, made harmless for a one-line message. */
export function printable(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '·');
}

/** The same for a text of several lines, with the bold and dim of our own. */
export function harmless(text: string): string {
  return text.replace(
    /\x1b\[[0-2]m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (found) => (found.length > 1 ? found : '·'),
  );
}

/** The same with a capital letter at its start. */
export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** What stands in brackets left out; a call keeps its own. */
export const withoutAsides = (text: string): string =>
  text.replace(/ \((?:[^()]|\([^()]*\))*\)/g, '');

/** A share of one: `34 %`, `0.4 %`. */
export const percent = (share: number): string =>
  `${(share * 100).toFixed(share < 0.01 ? 1 : 0)} %`;
