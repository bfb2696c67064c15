import type { LiveStacksDifference } from '../../analyses/compare/live-stacks.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, ellipsize, printable } from '../../base/text.ts';
import { MOMENT_WORDS } from '../../model/allocations/live-stacks.ts';
import type { TableSection } from '../table.ts';
import { delta } from './allocation-diff.ts';

const WHERE_WIDTH = 90;

/** The answer, a line for each pair. */
export const liveStacksSentences = (differences: readonly LiveStacksDifference[]): string[] =>
  differences.map(({ a, b, bytes, moments }) => {
    const apart =
      moments.a === moments.b
        ? ''
        : ` (${a}: what was ${MOMENT_WORDS[moments.a]}; ${b}: ${MOMENT_WORDS[moments.b]})`;
    if (bytes.difference === 0) {
      return `${b} and ${a} have alike in use: ${formatBytes(bytes.a)}${apart}.`;
    }
    const more = bytes.difference > 0 ? 'more' : 'less';
    return (
      `${b} has ${formatBytes(Math.abs(bytes.difference))} ${more} in use than ${a}: ` +
      `${formatBytes(bytes.b)} against ${formatBytes(bytes.a)}${apart}.`
    );
  });

export const liveStacksSections = (differences: readonly LiveStacksDifference[]): TableSection[] =>
  differences
    .filter(({ places }) => places.length > 0)
    .map((pair) => ({
      title: `${printable(pair.b)} − ${printable(pair.a)}: in use by line, what grew and what shrank`,
      rows: {
        head: ['change', printable(pair.a), printable(pair.b), 'objects', 'where'],
        body: pair.places.map(({ where, bytes, objects }) => [
          delta(bytes),
          formatBytes(bytes.a),
          formatBytes(bytes.b),
          objects ? `${objects.a} → ${objects.b}` : '–',
          ellipsize(printable(where), WHERE_WIDTH),
        ]),
        right: new Set([0, 1, 2, 3]),
        rest: restWords(pair),
      },
    }));

function restWords({ otherPlaces: { count: more, bytes } }: LiveStacksDifference): string | null {
  return more === 0 ? null : `${count(more, 'more line')}: ${formatDelta(bytes.difference)}`;
}
