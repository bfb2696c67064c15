import type { Cache } from '../../analyses/caches.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { NONE, type TextTable } from '../table.ts';

const COURSES: Readonly<Record<Cache['course'], string>> = {
  grows: 'grew to the last look',
  bounded: 'has stopped growing',
  'let-go': 'let go of',
  unclear: 'too few looks, or up and down',
};

const UNITS: Readonly<Record<NonNullable<Cache['each']>['unit'], string>> = {
  request: 'request',
  generate: 'call of generate',
  forward: 'forward pass',
  replay: 'replay of a graph',
};

/** What keeps more and more tensors, by who holds it. */
export function cacheRows({ caches }: Report): TextTable {
  return {
    head: ['bytes', 'entries', 'where', 'since first seen', 'each', 'course', 'held by'],
    body: caches.map((one) => [
      formatBytes(one.bytes),
      one.entries.toLocaleString('en-US'),
      printable(one.device),
      `${formatDelta(one.grownBytes)} in ${formatDuration(one.overSeconds)}`,
      one.each ? `${formatDelta(one.each.bytes)} a ${UNITS[one.each.unit]}` : NONE,
      COURSES[one.course],
      printable(`${one.container} in ${one.holder || 'no name that was found'}`),
    ]),
    right: new Set([0, 1]),
    rest: null,
  };
}

/** When that was. */
export function cacheNotes({ caches }: Report): string[] {
  const last = Math.max(...caches.map(({ seconds }) => seconds));
  const looks = Math.max(...caches.map((one) => one.looks));
  return caches.length === 0
    ? []
    : [
        `tensors held there, each storage once, by ${count(looks, 'look')}, the last at ${formatDuration(last)}`,
      ];
}
