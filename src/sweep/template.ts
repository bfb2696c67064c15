import { UserError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { Combination } from './grid.ts';

/**
 * `{name}` stands for a parameter, `{{name}}` for `{name}` itself. All other braces are left alone,
 * so that JSON, awk and the like need no escaping.
 */
const PLACEHOLDER = /\{\{([A-Za-z_][\w-]*)\}\}|\{([A-Za-z_][\w-]*)\}/g;

/** A word with its places filled in. */
export function fill(word: string, values: Combination): string {
  return word.replace(PLACEHOLDER, (whole, literal: string | undefined, name: string) =>
    literal === undefined ? (values[name] ?? whole) : `{${literal}}`,
  );
}

/** The names that words ask for. */
export function placeholdersIn(words: readonly string[]): Set<string> {
  const names = words.flatMap((word) => [...word.matchAll(PLACEHOLDER)].map((match) => match[2]));
  return new Set(names.filter((name) => name !== undefined));
}

/** Before anything runs: every `{name}` is a parameter, and every parameter is used. */
export function checkPlaceholders(words: readonly string[], names: readonly string[]): void {
  const used = placeholdersIn(words);
  const unknown = [...used].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, names);
    throw new UserError(`there is no parameter for {${unknown}}`, {
      hint: near
        ? `did you mean {${near}}?`
        : `add --param ${unknown}=…, or write {{${unknown}}} for the braces themselves`,
    });
  }
  const unused = names.find((name) => !used.has(name));
  if (unused !== undefined) {
    throw new UserError(`parameter '${unused}' is not used`, {
      hint: `put {${unused}} into the command, or hand it over with --env NAME={${unused}}`,
    });
  }
}
