import { ORDINARY_WORDS } from './ordinary-words.ts';
import { PUBLIC_PACKAGES } from './public-packages.ts';

/** Between anything else: letters and figures of all languages. */
export const TOKEN = /[\p{L}\p{M}\p{N}]+/gu;
/**
 * Parts of names that say what memory is for (docs/snapshots.md, docs/analyze.md), also in the middle of a word: they stay, or the
 * same allocation would be called something else.
 */
export const MEANING =
  /(optimi[sz](?:ers?|ation)|torchinductor|workspace|temp_space|arg_grad|in_arg|aux_state|forward_features|adabelief|adadelta|adagrad|rmsprop|rprop)/i;
/** Whole words that are no words of a language. */
const KNOWN: ReadonlySet<string> = new Set(
  'RMSprop RAdam NAdam AdamW Adam SparseAdam Adamax ASGD LBFGS SGD LAMB LARS Lion Muon e4m3fn e5m2 e4m3fnuz e5m2fnuz m1 m2 i18n KiB MiB GiB TiB KB MB GB'.split(
    ' ',
  ),
);
/** Small letters with a capital before them, capitals alone, or another script's; and the number after them. */
const PART = /(?:\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{L}|\p{M})[\p{N}]*|\p{N}+/gu;
/** As ours are: somebody's `name3` would be taken for what stands for a name. */
const OURS = /^(dir|file|host|mail|name|secret|text|url|user)\d+$/i;

export const partsOf = (token: string): string[] => token.match(PART) ?? [];

/** A part without the number after it. */
export const lettersOf = (part: string): string => part.replace(/\p{N}+$/u, '');

export const isShort = (part: string): boolean => lettersOf(part).length <= 1;

/** Whether a whole word is one that everybody can look up. */
export const isKnown = (token: string): boolean =>
  KNOWN.has(token) || PUBLIC_PACKAGES.has(token) || /^\d+$/.test(token);

/** Whether a word tells nothing of anybody. Keys and hashes are many short pieces. */
export function isOrdinary(token: string, parts: readonly string[]): boolean {
  return parts.every(isOrdinaryPart) && (token.length <= 3 || parts.filter(isShort).length <= 1);
}

export function isOrdinaryPart(part: string): boolean {
  if (OURS.test(part)) return false;
  const letters = lettersOf(part).toLowerCase();
  return letters.length <= 1 ? /^[a-z]?$/.test(letters) : ORDINARY_WORDS.has(letters);
}
