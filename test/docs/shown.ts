/**
 * What a document shows below a command against what the command prints. All rows have to be there, as they
 * are and in that order; a row that is only `…` stands for any rows, `…` within a row for any text. A comment
 * above the block says where it cannot be so:
 *
 *     <!-- figures vary -->               numbers are the machine's: only the words are compared
 *     <!-- figures and brackets vary -->  and what is between round brackets
 *     <!-- exits 3 -->                    it ends with that status
 *     <!-- not run: needs a GPU -->       nobody can run it here
 */
export function difference(
  shown: readonly string[],
  output: string,
  note: string,
): { expected: string; printed: string } | null {
  const masks = [figuresMask(note), bracketsMask(note)];
  const masked = (row: string) => masks.reduce((text, mask) => mask(text), row).trimEnd();
  const expected = shown.map(masked);
  const printed = output
    .split('\n')
    .filter((row) => row.trim() !== '' && !(note.includes('vary') && BUSY.test(row)))
    .map(masked);
  const pattern = new RegExp(`^${expected.map(rowPattern).join('')}$`);
  if (pattern.test(printed.map((row) => `${row}\n`).join(''))) return null;
  return { expected: expected.join('\n'), printed: printed.join('\n') };
}

/** What is said of a machine that had other work as well, as one has on which tests run. */
const BUSY = /the machine was too busy|\(PSS\) was not known for every process/;

export const whyNotRun = (note: string): string | null => /^not run: (.*)$/.exec(note)?.[1] ?? null;

/** The status that a command has to end with; null where the document says none. */
export function exitStatus(note: string): number | null {
  const found = /\bexits (\d+)/.exec(note);
  return found ? Number(found[1]) : null;
}

function rowPattern(row: string): string {
  if (row.trim() === '…') return '(?:.*\\n)*?';
  return `${row.split('…').map(literal).join('.*')}\\n`;
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

type Mask = (row: string) => string;
const asItIs: Mask = (row) => row;

/** Columns move with the length of a number, so spaces count as one; folders are the machine's too. */
function figuresMask(note: string): Mask {
  if (!/\bfigures\b.*\bvary\b/.test(note)) return asItIs;
  const figure = /[−+±≈]?\s?\d[\d.,]*(?:e[+-]\d+)?(?:\s?(?:[KMGT]iB|MB|B|ms|min|s|h|%)(?![a-z]))?/g;
  return (row) =>
    row
      .replace(/(?<!\S)\/\S*\//g, '')
      .replace(figure, ' #')
      .replace(/\s+/g, ' ');
}

function bracketsMask(note: string): Mask {
  return /\bbrackets\b.*\bvary\b/.test(note) ? (row) => row.replace(/\([^()]*\)/g, '()') : asItIs;
}
