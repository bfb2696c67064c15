import { UserError } from '../../base/errors.ts';
import { categoryLook } from './rules.ts';

/** What a `<log>_ANALYSIS` file says, largest category first. */
export interface SavedAnalysis {
  readonly type: 'saved-tags';
  /** The log's name. */
  readonly name: string;
  /** What kind of network, guessed from the path; the log's name where that says nothing. */
  readonly model: string;
  readonly bytes: number;
  readonly categories: readonly SavedCategory[];
}

export interface SavedCategory {
  readonly category: string;
  readonly label: string;
  /** The same number for the same category in all files: its colour. */
  readonly place: number;
  readonly bytes: number;
  /** Of all bytes, 0 to 1. */
  readonly share: number;
  readonly count: number;
}

export const ANALYSIS = '_ANALYSIS';

/** Reads such a file, ours or the original's. */
export function savedAnalysis(path: string, text: string): SavedAnalysis {
  const entries = analysisEntries(text);
  if (!entries) {
    throw new UserError(`${path} is no analysis`, { hint: 'highwater analyze makes them' });
  }
  const bytes = entries.reduce((sum, [, [amount]]) => sum + amount, 0);
  const categories = entries.map(([category, [amount, tags]]) => ({
    category,
    ...categoryLook(category),
    bytes: amount,
    share: bytes > 0 ? amount / bytes : 0,
    count: tags.length,
  }));
  categories.sort((a, b) => b.bytes - a.bytes || (a.label < b.label ? -1 : 1));
  const name = path
    .split('/')
    .at(-1)!
    .replace(/_ANALYSIS$/, '');
  return { type: 'saved-tags', name, model: modelOf(path) ?? name, bytes, categories };
}

const MODELS = [
  [/rnn/i, 'RNN'],
  [/conv/i, 'CONVOLUTIONAL'],
  [/tran/i, 'TRANSFORMER'],
] as const;

const modelOf = (path: string) => MODELS.find(([part]) => part.test(path))?.[1];

/** Whether a text is what an analysis file holds. */
export const isAnalysis = (text: string) => analysisEntries(text) !== null;

function analysisEntries(text: string): [string, [number, string[]]][] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  return entries.every(([, entry]) => isEntry(entry)) ? entries : null;
}

const isEntry = (value: unknown) =>
  Array.isArray(value) &&
  value.length === 2 &&
  Number.isFinite(value[0]) &&
  value[0] >= 0 &&
  Array.isArray(value[1]) &&
  value[1].every((tag: unknown) => typeof tag === 'string');
