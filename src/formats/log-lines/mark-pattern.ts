import { describeError, UserError } from '../../base/errors.ts';
import { withoutSecrets } from '../../base/secrets/index.ts';
import type { LineMark } from './mark.ts';
import { parseStamp } from './stamp.ts';

/** The groups that a user's pattern may name. */
export const MARK_GROUPS = ['iteration', 'epoch', 'value', 'loss', 'time', 'name'] as const;
const GROUPS: ReadonlySet<string> = new Set(MARK_GROUPS);
const EXAMPLE = 'for example: step (?<iteration>\\d+) loss (?<loss>[\\d.]+)';

/** Compiles what `--mark` was given; says what is wrong with it. */
export function parseMarkPattern(text: string): RegExp {
  const pattern = compile(text);
  const named = [...text.matchAll(/\(\?<([A-Za-z_$][\w$]*)>/g)].map((m) => m[1]!);
  const unknown = named.find((name) => !GROUPS.has(name));
  if (unknown !== undefined) {
    throw new UserError(`the pattern '${text}' has a group '${unknown}' that means nothing`, {
      hint: `known are ${MARK_GROUPS.join(', ')}`,
    });
  }
  if (!named.some((name) => name !== 'time')) {
    throw new UserError(`the pattern '${text}' names nothing to mark`, {
      hint: `name a group ${MARK_GROUPS.join(', ')}; ${EXAMPLE}`,
    });
  }
  if (repeatsRepetition(text)) {
    throw new UserError(`the pattern '${text}' repeats a repetition`, {
      hint: 'a line that almost matches could take for ever: write (a+)+ as a+',
    });
  }
  return pattern;
}

function compile(text: string): RegExp {
  if (text.trim() === '') throw new UserError('the pattern is empty', { hint: EXAMPLE });
  try {
    return new RegExp(text);
  } catch (error) {
    const why = describeError(error).replace(/^Invalid regular expression: /, '');
    throw new UserError(`'${text}' is not a regular expression: ${why}`, {
      hint: EXAMPLE,
      cause: error,
    });
  }
}

/** Whether a group with an unbounded repetition inside is itself repeated without a bound. */
function repeatsRepetition(text: string): boolean {
  const open: boolean[] = [];
  let inside = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '\\') i++;
    else if (inside) inside = c !== ']';
    else if (c === '[') inside = true;
    else if (c === '(') open.push(false);
    else if (c === ')') {
      const repeated = open.pop() ?? false;
      const unbounded = isUnbounded(text, i + 1);
      if (repeated && unbounded) return true;
      if ((repeated || unbounded) && open.length > 0) open[open.length - 1] = true;
    } else if (isUnbounded(text, i) && open.length > 0) open[open.length - 1] = true;
  }
  return false;
}

const isUnbounded = (text: string, at: number) =>
  /^(?:[*+]|\{\d+,\})/.test(text.slice(at, at + 12));

/** The mark that a user's pattern finds in a line. */
export function userMark(pattern: RegExp, line: string): LineMark | null {
  if (!match(pattern, line)) return null;
  // Before the name is cut out of the line, of which the rest may say that it is a secret.
  const groups = match(pattern, withoutSecrets(line));
  if (!groups) return null;
  const iteration = numeric(groups.iteration);
  const epoch = numeric(groups.epoch);
  const value = numeric(groups.value ?? groups.loss);
  const name = groups.name?.trim().slice(0, 200);
  const kind = iteration !== undefined ? 'iteration' : epoch !== undefined ? 'epoch' : 'note';
  const number = iteration ?? epoch;
  if (number === undefined && value === undefined && !name) return null;
  const stamp = groups.time ? parseStamp(groups.time) : null;
  const mark: LineMark = {
    kind,
    name: name || (number !== undefined ? `${kind} ${number}` : String(value)),
  };
  if (iteration !== undefined) mark.iteration = iteration;
  if (epoch !== undefined) mark.epoch = epoch;
  if (value !== undefined) mark.value = value;
  if (stamp) mark.stamp = stamp;
  return mark;
}

function match(pattern: RegExp, line: string) {
  pattern.lastIndex = 0;
  return pattern.exec(line)?.groups;
}

function numeric(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text.replace(/(?<=\d),(?=\d{3})/g, ''));
  return Number.isFinite(value) ? value : undefined;
}
