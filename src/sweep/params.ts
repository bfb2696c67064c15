import { UserError } from '../base/errors.ts';

/** One `--param`: a name and the values that it takes, in the order given. */
export interface Param {
  readonly name: string;
  readonly values: readonly string[];
}

/** What may stand between the braces of `{name}`. */
const PARAM_NAME = /^[A-Za-z_][\w-]{0,63}$/;
const RANGE = /^(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.(\d{1,15}))?$/;
const MOST_VALUES = 10_000;

/**
 * Reads `kernel=direct,im2col`, `batch=1..8` or `batch=4..64..4`. A backslash takes the meaning from
 * the next character: `sizes=1\,2,3` are the two values `1,2` and `3`.
 */
export function parseParam(text: string): Param {
  const [, name, list] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || list === undefined || !PARAM_NAME.test(name)) {
    throw new UserError(`'${text}' is no parameter`, { hint: 'write it as kernel=fft,direct' });
  }
  const values = splitList(list).flatMap(({ raw, value }) => expandRange(raw, name) ?? [value]);
  if (values.includes('')) {
    throw new UserError(`parameter '${name}' has an empty value`, {
      hint: 'values stand between commas: kernel=fft,direct',
    });
  }
  const twice = values.find((value, i) => values.indexOf(value) < i);
  if (twice !== undefined) {
    throw new UserError(`parameter '${name}' has the value '${twice}' twice`, {
      hint: 'run each combination several times with --repeat',
    });
  }
  return { name, values };
}

function splitList(list: string): { raw: string; value: string }[] {
  const items = [{ raw: '', value: '' }];
  for (const [piece] of list.matchAll(/\\.|./gsu)) {
    if (piece === ',') {
      items.push({ raw: '', value: '' });
      continue;
    }
    const item = items.at(-1)!;
    item.raw += piece;
    item.value += piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece;
  }
  return items;
}

/** The whole numbers from one to another, both included; null when it is no range. */
function expandRange(raw: string, name: string): string[] | null {
  const match = RANGE.exec(raw);
  if (!match) return null;
  const [from, to] = [Number(match[1]), Number(match[2])];
  const step = Number(match[3] ?? 1);
  const length = step > 0 ? Math.floor(Math.abs(to - from) / step) + 1 : Number.POSITIVE_INFINITY;
  if (length > MOST_VALUES) {
    throw new UserError(`parameter '${name}': ${raw} has too many values`, {
      hint: `${MOST_VALUES} at most; a step stands last: 8..512..8`,
    });
  }
  const sign = to < from ? -1 : 1;
  return Array.from({ length }, (_, i) => String(from + sign * i * step));
}
