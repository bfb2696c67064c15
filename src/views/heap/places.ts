import type { ContainerGrowth, GrownPlaces, NewKind } from '../../analyses/heap/growth/index.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';

const MOST_ROWS = 10;
const MOST_HOLDERS = 6;

/** The places of a program that hold more than they did, and who else holds what is new there. */
export function placesText(
  { containers, runtimeBytes, notMatched }: GrownPlaces,
  all = false,
): string {
  if (containers === null) {
    return `\nWho holds more is not known: ${notMatched}.\n`;
  }
  const most = all ? containers.length : MOST_ROWS;
  const lines = containers.slice(0, most).flatMap(rowLines);
  if (containers.length > most)
    lines.push(`  and ${count(containers.length - most, 'more place')}`);
  const nothing = '  No place holds 10 kB more than it did.';
  const runtime = runtimeBytes ?? 0;
  return `${[
    '',
    'What grew since the first heap, with all that only it holds:',
    ...(lines.length === 0 ? [nothing] : lines),
    ...(runtime >= 10_000
      ? ['', `Code and shapes that the runtime made for itself: ${formatDelta(runtime)}.`]
      : []),
  ].join('\n')}\n`;
}

const newKind = ({ count: many, kind, bytes, written }: NewKind) =>
  `${many} ${kind}${written === null ? '' : `: ${written}`} (${formatBytes(bytes)})`;

/** How many things are in it, in each heap; empty where it is no container. */
export function entriesWords({ entries }: ContainerGrowth): string {
  if (entries === null) return '';
  return `${entries.join(' → ')} ${entries.at(-1) === 1 ? 'entry' : 'entries'}`;
}

/** What is new in it, and how much has gone. */
export function freshWords({ kinds, gone }: ContainerGrowth): string {
  const fresh = kinds.map(newKind);
  if (gone > 0) fresh.push(`${count(gone, 'other')} gone`);
  return fresh.join(', ');
}

/** Who refers to the new ones; empty where nobody but the place itself does. */
export function holderWords(row: ContainerGrowth): string {
  if (row.holders.length === 1 && row.holders[0]!.place === row.place) return '';
  // Whose variables they are is said once where it is the same for all.
  const scope = / in (?:scope of .*|.*\(\).*)$/.exec(row.place)?.[0] ?? '';
  const short = (place: string) =>
    scope !== '' && place.endsWith(scope) ? place.slice(0, -scope.length) : place;
  const holders = row.holders
    .slice(0, MOST_HOLDERS)
    .map((one) => `${short(one.place)} (${one.count})`);
  const others = row.holders.length - holders.length;
  if (others > 0) holders.push(`${count(others, 'other place')}`);
  return holders.join(', ');
}

function rowLines(row: ContainerGrowth): string[] {
  const { retained, kind, containers, evidence } = row;
  const sizes = retained === null ? '' : retained.map((bytes) => formatBytes(bytes)).join(' → ');
  const what = kind === null ? '' : containers === 1 ? kind : `${containers} × ${kind}`;
  const about = [entriesWords(row), sizes, what, evidence].filter(Boolean).join('; ');
  const [fresh, holders] = [freshWords(row), holderWords(row)];
  return [
    `  ${formatDelta(row.grown)}  ${row.place}`,
    `      ${about}`,
    ...(fresh === '' ? [] : [`      new: ${fresh}`]),
    ...(holders === '' ? [] : [`      held by: ${holders}`]),
  ].map(printable);
}
