import { UserError } from '../../src/base/errors.ts';

/** What is true of one run of a program, whatever a report says of it. */
export interface Truth {
  readonly leak: boolean;
  /** The words after the program: one file holds a leak and its clean twin. */
  readonly args: readonly string[];
  /** Each matches the JSON of `leak.culprit`, in any case, where the leak was found. */
  readonly culprit: readonly string[];
  /** Between so many bytes the leak grows; the ends allow for what an allocator adds. */
  readonly slope: readonly [number, number] | null;
  /** What the slope counts by; `run`: what stays behind after the end. */
  readonly per: 'iteration' | 'second' | 'run';
  /** The exit code, or the signal that ends it. */
  readonly ends: number | string;
  /** false: it must not be called out of memory. */
  readonly oom: boolean | null;
  /** Python modules without which the program cannot run. */
  readonly needs: readonly string[];
  /** Further flags of `record`. */
  readonly record: readonly string[];
  /** A program of `beside/` that is no part of the workload, with its words. */
  readonly beside: readonly string[];
  /** Short and decided on any machine: CI runs it. */
  readonly quick: boolean;
  /** Why it is the truth, where the program does not show it. */
  readonly why: string;
}

const DEFAULTS: Truth = {
  leak: false,
  args: [],
  culprit: [],
  slope: null,
  per: 'iteration',
  ends: 0,
  oom: null,
  needs: [],
  record: [],
  beside: [],
  quick: false,
  why: '',
};

/** A program's first lines hold its truths; a comment with a list of words is no longer one. */
const FIRST_LINES = 20;

/** Every `truth: {…}` among the first lines; each is a run of its own. */
export function truthsIn(text: string, path: string): Truth[] {
  const truths = text
    .split('\n')
    .slice(0, FIRST_LINES)
    .flatMap((line) => {
      const found = /\btruth: (\{.*\})/.exec(line);
      return found ? [truthFrom(parsed(found[1]!, path), path)] : [];
    });
  if (truths.length > 0) return truths;
  throw new UserError(`${path} has no truth in its first ${FIRST_LINES} lines`, {
    hint: 'write a comment: truth: {"leak": false}',
  });
}

function parsed(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new UserError(`${path}: its truth is no JSON: ${(error as Error).message}`);
  }
}

/** A misspelt key would silently leave something unchecked. */
export function truthFrom(value: unknown, path: string): Truth {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UserError(`${path}: a truth is an object`);
  }
  const given = value as Record<string, unknown>;
  const unknown = Object.keys(given).filter((key) => !(key in DEFAULTS));
  if (unknown.length > 0) throw new UserError(`${path}: a truth has no '${unknown[0]}'`);
  if (typeof given.leak !== 'boolean') throw new UserError(`${path}: does it leak? true or false`);
  const culprit = typeof given.culprit === 'string' ? [given.culprit] : (given.culprit ?? []);
  const truth = { ...DEFAULTS, ...given, culprit } as Truth;
  for (const pattern of truth.culprit) new RegExp(pattern);
  if (!truth.leak && (truth.slope || truth.culprit.length > 0)) {
    throw new UserError(`${path}: what does not leak has neither slope nor culprit`);
  }
  return truth;
}
