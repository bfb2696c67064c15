/** Lines of one file: those that can run, and those that did. */
export interface FileCoverage {
  readonly path: string;
  readonly lines: number;
  readonly ran: number;
  /** From one, as an editor counts. */
  readonly missed: readonly number[];
}

export const share = ({ lines, ran }: { lines: number; ran: number }): number =>
  lines === 0 ? 1 : ran / lines;

export function sum(files: readonly FileCoverage[]): { lines: number; ran: number } {
  const add = (key: 'lines' | 'ran') => files.reduce((total, file) => total + file[key], 0);
  return { lines: add('lines'), ran: add('ran') };
}

/** Rooms of src, then the files that want tests most. */
export function table(files: readonly FileCoverage[]): string {
  const room = ({ path }: FileCoverage) => path.split('/').slice(0, 2).join('/');
  const rooms = [...new Set(files.map(room))];
  const worst = [...files].sort((a, b) => b.missed.length - a.missed.length).slice(0, 10);
  return [
    '   share    lines  folder',
    ...rooms.map((name) => row(name, sum(files.filter((file) => room(file) === name)))),
    row('all of src', sum(files)),
    '',
    '   share   missed  the ten files with most lines that nothing ran',
    ...worst.map((file) => `${percent(file)}  ${pad(file.missed.length)}  ${file.path}`),
  ].join('\n');
}

const row = (name: string, of: { lines: number; ran: number }) =>
  `${percent(of)}  ${pad(of.lines)}  ${name}`;
const percent = (of: { lines: number; ran: number }) =>
  `${(100 * share(of)).toFixed(1)} %`.padStart(8);
const pad = (count: number) => String(count).padStart(7);

/** `4-6, 9` of 4, 5, 6, 9. */
export function ranges(lines: readonly number[]): string {
  const found: [number, number][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last && last[1] === line - 1) last[1] = line;
    else found.push([line, line]);
  }
  return found.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(', ');
}
