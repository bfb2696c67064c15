import { UserError } from '../../base/errors.ts';
import { printable } from '../../base/text.ts';
import { TAG_RULES, type TagGroup, type TagRule } from './rules.ts';

const GROUPS: readonly TagGroup[] = ['weights', 'forward', 'unknown'];
const SHAPE = 'a list as [{"match": "moe", "category": "moe", "group": "forward"}]';

/** A user's rules, then ours: the first that meets a tag decides. */
export function withUserRules(name: string, text: string): TagRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refusal(name, `is no JSON (${printable((error as Error).message)})`);
  }
  if (!Array.isArray(value)) throw refusal(name, 'is no list of rules');
  return [...value.map((entry, i) => userRule(name, i + 1, entry)), ...TAG_RULES];
}

function userRule(name: string, number: number, value: unknown): TagRule {
  const place = `rule ${number} of ${name}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusal(place, 'is no object');
  }
  const { match, category, group, label, ...others } = value as Record<string, unknown>;
  const other = Object.keys(others)[0];
  if (other !== undefined) throw refusal(place, `has a key '${other}' that no rule has`);
  if (!isName(match)) throw refusal(place, `has no text as 'match'`);
  if (!isName(category)) throw refusal(place, `has no text as 'category'`);
  if (label !== undefined && !isName(label)) throw refusal(place, `has a 'label' that is no text`);
  if (group !== undefined && !GROUPS.includes(group as TagGroup)) {
    throw refusal(place, `has a 'group' that is none of ${GROUPS.join(', ')}`);
  }
  // A rule for a category that is there already belongs to its group.
  const known = TAG_RULES.find((rule) => rule.category === category);
  return {
    match,
    category,
    group: (group as TagGroup | undefined) ?? known?.group ?? 'forward',
    label: label ?? known?.label ?? category,
  };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

const refusal = (what: string, why: string) =>
  new UserError(printable(`${what} ${why}`), { hint: `expected ${SHAPE}` });
