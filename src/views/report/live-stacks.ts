import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, ellipsize, percent, printable } from '../../base/text.ts';
import { MOMENT_WORDS } from '../../model/allocations/live-stacks.ts';
import { bytesOr, NONE, type TextTable } from '../table.ts';
import type { Account, Passage, TextLayout } from './section.ts';

type LiveStacks = NonNullable<Report['liveStacks']>;

/** Only a heap profile is there: what is said of samples would say nothing. */
export const isProfileOnly = ({ liveStacks, sampling }: Report) =>
  liveStacks !== null && sampling.samples === 0;

/** What a heap profile has in use: by whose memory it is, by line, by function. */
export function liveStackPassages({ liveStacks }: Report, { width }: TextLayout): Passage[] {
  if (liveStacks === null) return [];
  return [
    {
      title: momentTitle(liveStacks),
      blocks: [{ lines: totalLines(liveStacks) }, { table: partRows(liveStacks) }],
    },
    { title: 'Who made it, by line', blocks: [{ table: placeRows(liveStacks, width) }] },
    {
      title: 'Who made it, by function',
      blocks: [{ table: functionRows(liveStacks, width) }],
    },
  ];
}

/** For the page: the lines that hold most. */
export function liveStackAccounts({ liveStacks }: Report): Account[] {
  if (liveStacks === null) return [];
  const { bytes, places, otherPlaces } = liveStacks;
  const others = {
    key: 'others',
    label: `${count(otherPlaces.count, 'other place')}`,
    bytes: otherPlaces.bytes,
    about: null,
  };
  const parts = places.map((place, i) => ({
    key: `place ${i}`,
    label: printable(place.where),
    bytes: place.bytes,
    about: null,
  }));
  return [
    {
      title: momentTitle(liveStacks),
      bytes,
      counted: 'as the heap profile counts it',
      parts: otherPlaces.count > 0 ? [...parts, others] : parts,
      of: 'processes',
    },
  ];
}

const momentTitle = ({ moment }: LiveStacks) => {
  const words = MOMENT_WORDS[moment];
  return words[0]!.toUpperCase() + words.slice(1);
};

function totalLines({ bytes, objects, stacks, ...rest }: LiveStacks): string[] {
  const of = objects === null ? '' : ` in ${count(objects, 'object')}`;
  const lines = [`${formatBytes(bytes)}${of}, by ${count(stacks, 'call stack')}`];
  if (rest.allocatedBytes !== null) {
    const made =
      rest.allocatedObjects === null ? '' : ` in ${count(rest.allocatedObjects, 'object')}`;
    const until = rest.moment === 'peak' ? 'in the whole run' : 'until then';
    lines.push(
      `${formatBytes(rest.allocatedBytes)}${made} allocated ${until}, all that is gone included`,
    );
  }
  if (rest.leftBytes !== null) {
    lines.push(`${formatBytes(rest.leftBytes)} still in use at its end`);
  }
  return lines;
}

function partRows({ parts, bytes: all }: LiveStacks): TextTable {
  return {
    head: ['bytes', 'share', 'objects', 'kind', 'device'],
    body: parts.map(({ bytes, objects, kind, device }) => [
      formatBytes(bytes),
      share(bytes, all),
      objectsText(objects),
      printable(kind) || NONE,
      printable(device) || NONE,
    ]),
    right: new Set([0, 1, 2]),
    rest: null,
  };
}

function placeRows(
  { places, otherPlaces, bytes: all, leftBytes: left }: LiveStacks,
  width: number,
): TextTable {
  const ends = left !== null;
  return {
    head: ['bytes', 'share', 'objects', ...(ends ? ['at its end'] : []), 'where'],
    body: places.map(({ bytes, objects, leftBytes, where }) => [
      formatBytes(bytes),
      share(bytes, all),
      objectsText(objects),
      ...(ends ? [bytesOr(leftBytes)] : []),
      ellipsize(printable(where), Math.max(30, width - (ends ? 44 : 32))),
    ]),
    right: new Set(ends ? [0, 1, 2, 3] : [0, 1, 2]),
    rest:
      otherPlaces.count > 0
        ? `and ${count(otherPlaces.count, 'more place')}: ${formatBytes(otherPlaces.bytes)}`
        : null,
  };
}

function functionRows({ functions, bytes: all }: LiveStacks, width: number): TextTable {
  return {
    head: ['with callees', 'share', 'own', 'function', 'file'],
    body: functions.map(({ bytes, ownBytes, function: name, file }) => [
      formatBytes(bytes),
      share(bytes, all),
      formatBytes(ownBytes),
      ellipsize(printable(name), 50),
      ellipsize(printable(file), Math.max(20, width - 84)),
    ]),
    right: new Set([0, 1, 2]),
    rest: null,
  };
}

const share = (bytes: number, all: number) => percent(bytes / Math.max(1, all));
const objectsText = (objects: number | null) => (objects === null ? NONE : String(objects));
