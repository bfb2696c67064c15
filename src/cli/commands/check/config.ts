import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoCode, UserError } from '../../../base/errors.ts';
import { asUserError } from '../../../model/disk/files.ts';
import { parseJson } from './json-text.ts';

/** What flags can say, from `highwater.config.json` under the key `check`. */
export interface CheckConfig {
  readonly peak: readonly string[];
  readonly noLeak: boolean;
  readonly growth: readonly string[];
  readonly baseline: readonly string[];
  readonly maxRegress: readonly string[];
}

export const CONFIG_FILE = 'highwater.config.json';
const KEYS = ['peak', 'noLeak', 'growth', 'baseline', 'maxRegress'];
const NONE: CheckConfig = { peak: [], noLeak: false, growth: [], baseline: [], maxRegress: [] };

/** null path: the file in the current folder, if there is one. */
export function readConfig(path: string | null): CheckConfig {
  const file = path ?? CONFIG_FILE;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (path === null && errnoCode(error) === 'ENOENT') return NONE;
    throw asUserError(file, error, 'read');
  }
  const bad = (what: string) =>
    new UserError(`${file}: ${what}`, {
      hint: '{"check": {"peak": ["tree.pss<=8GiB"], "noLeak": true, "growth": ["<=1MiB/iteration"], "baseline": "memory.json", "maxRegress": "3%"}}',
    });
  const whole = parseJson(text, bad);
  const given = (whole as { check?: unknown } | null)?.check ?? {};
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw bad('"check" must be an object');
  const fields = given as Record<string, unknown>;
  const odd = Object.keys(fields).find((key) => !KEYS.includes(key));
  if (odd !== undefined) throw bad(`"${odd}" is not known`);
  const texts = (key: string): string[] => {
    const list = [fields[key] ?? []].flat();
    if (!list.every((one) => typeof one === 'string'))
      throw bad(`"${key}" must be text, or a list of texts`);
    return list as string[];
  };
  if (fields.noLeak !== undefined && typeof fields.noLeak !== 'boolean')
    throw bad('"noLeak" must be true or false');
  return {
    peak: texts('peak'),
    noLeak: fields.noLeak === true,
    growth: texts('growth'),
    // Beside the file, wherever the command is typed.
    baseline: texts('baseline').map((one) => resolve(dirname(file), one)),
    maxRegress: texts('maxRegress'),
  };
}
