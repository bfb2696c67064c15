import { formatMiB, KiB, MiB } from '../base/bytes.ts';
import { printable } from '../base/text.ts';
import type { ProcessSizes } from '../model/sizes.ts';

/**
 * Sizes in the words of the tool that they come from (Topographica's memuse), where MB and top's m are
 * 1024² bytes; all that is ours says MiB.
 */

/** As top writes a size in four places: KiB without a letter, then m and g. */
export function topWord(bytes: number): string {
  if (bytes / KiB < 9999.5) return String(Math.floor(bytes / KiB));
  for (const [unit, letter] of [
    [MiB, 'm'],
    [MiB * KiB, 'g'],
  ] as const) {
    const value = bytes / unit;
    if (value < 9.95) return `${value.toFixed(1)}${letter}`;
    if (value < 999.5) return `${Math.floor(value)}${letter}`;
  }
  return `${(bytes / MiB / MiB).toFixed(1)}t`;
}

/** Whole ones, cut off. */
export const mbWord = (bytes: number): string => `${Math.floor(bytes / MiB)}MB`;

/** `topsize:52m =? code + simsize:10MB + wtsize:15MB (25MB tot)` */
export function sizesLine({ topsize, simsize, wtsize }: ProcessSizes): string {
  const words = `simsize:${mbWord(simsize)} + wtsize:${mbWord(wtsize)}`;
  return `topsize:${topWord(topsize)} =? code + ${words} (${mbWord(simsize + wtsize)} tot)`;
}

/** `Defined 2197512-connection network; 15MB required for weight storage.` */
export function sizesSentence(connections: number, bytes: number): string {
  const storage = Math.max(bytes / MiB, 1).toFixed(0);
  return `Defined ${connections}-connection network; ${storage}MB required for weight storage.`;
}

/** What the line leaves to its reader, one statement a line. */
export function sizesAccounting(sizes: ProcessSizes): string[] {
  const { topsize, code, explained, optimisable, rest, devices, language } = sizes;
  const loading = language === 'python' ? 'imports allocate' : 'loading allocates';
  const loaded =
    code.loaded === null
      ? `what ${loading} was not measured`
      : `${formatMiB(code.loaded)} that ${loading}`;
  const named = rest.map(([what, bytes]) => `${what} ${formatMiB(bytes)}`).join(', ');
  return [
    `code: ${formatMiB(code.mapped + (code.loaded ?? 0))} (${formatMiB(code.mapped)} of libraries and programs mapped, ${loaded})`,
    `explained: ${formatMiB(explained)} of ${formatMiB(topsize)} (${share(explained, topsize)})`,
    `could be optimised: ${formatMiB(optimisable)} (${share(optimisable, topsize)}), all but code and arrays`,
    ...(named ? [`the rest: ${named}`] : []),
    ...Object.entries(devices).map(
      ([device, bytes]) => `on ${device}, not part of the process size: arrays ${formatMiB(bytes)}`,
    ),
    ...sizes.notes,
  ];
}

const share = (part: number, whole: number) =>
  whole > 0 ? `${((100 * part) / whole).toFixed(0)} %` : '–';

/** Of one process, seen from inside or from outside. */
export interface SizedProcess {
  readonly pid: number;
  readonly rank: number | null;
  readonly command: string;
  /** `now`, `exit`, `iteration 5`, `last sample`. */
  readonly at: string;
  readonly topsize: number;
  /** What it told of itself; null: it could not be asked. */
  readonly sizes: ProcessSizes | null;
  /** Why it could not. */
  readonly reason: string | null;
  /** What shows from outside, the largest first; null: not looked at. */
  readonly parts: readonly (readonly [what: string, bytes: number])[] | null;
}

export interface SizesResult {
  readonly type: 'sizes';
  readonly schemaVersion: 1;
  readonly processes: readonly SizedProcess[];
}

export function sizesText({ processes }: SizesResult): string {
  return `${processes.map((one) => processLines(one).join('\n')).join('\n\n')}\n`;
}

function processLines({ sizes, parts, reason, topsize, ...who }: SizedProcess): string[] {
  const rank = who.rank === null ? '' : `, rank ${who.rank}`;
  const title = `${who.command} (process ${who.pid}${rank}), ${AT[who.at] ?? `at ${who.at}`}`;
  const inside = sizes
    ? [
        sizesLine(sizes),
        ...sizesAccounting(sizes),
        `sized: ${sizes.root}, ${sizes.connections} connections`,
      ]
    : [`topsize:${topWord(topsize)} = ${formatMiB(topsize)}`, ...(reason ? [reason] : [])];
  const outside = parts
    ? ['seen from outside:', ...parts.map(([what, bytes]) => `  ${formatMiB(bytes)}  ${what}`)]
    : [];
  return [title, ...[...inside, ...outside].map((line) => `  ${line}`)].map(printable);
}

const AT: Readonly<Record<string, string>> = {
  now: 'now',
  exit: 'at its exit',
  'last sample': 'at its last sample',
};
