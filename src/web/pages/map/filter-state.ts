import { parseSize } from '../../../base/bytes.ts';
import type { PageState } from '../../address.ts';
import type { Filter } from './picture/filter.ts';

/** What the address and the fields say, as a filter. A field that cannot be read asks for nothing, and says so. */
export function filterOf(state: PageState, timed: boolean): Filter {
  return {
    minBytes: size(state.min),
    maxBytes: size(state.max),
    categories: state.kinds === undefined ? undefined : state.kinds.split(','),
    text: state.text || undefined,
    minLife: life(state.longer, timed),
    maxLife: life(state.shorter, timed),
    pool: state.pool === undefined ? undefined : Number(state.pool),
  };
}

export function isSize(text: string | undefined): boolean {
  return text === undefined || text === '' || size(text) !== undefined;
}

function size(text: string | undefined): number | undefined {
  if (!text) return undefined;
  try {
    return parseSize(text);
  } catch {
    return undefined;
  }
}

const UNITS: Readonly<Record<string, number>> = {
  us: 1,
  µs: 1,
  ms: 1e3,
  s: 1e6,
  '': 1e3,
  min: 6e7,
};

/** `5ms`, `200 µs`, `1.5 s`; a bare number is milliseconds, or events where there are no times. */
export function life(text: string | undefined, timed: boolean): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(us|µs|ms|s|min|)\s*$/.exec(text ?? '');
  if (!match) return undefined;
  return Number(match[1]) * (timed ? UNITS[match[2]!]! : 1);
}
