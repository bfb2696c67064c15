import type { Edit } from './target.ts';
import { otherNumber, otherText, type Random } from './values.ts';

/**
 * JSON that stays JSON: one value in it becomes another, of its own type or not; a key goes, comes twice
 * or is another's; a list grows, shrinks or turns around.
 */
export const editJson: Edit = (bytes, random) => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return bytes;
  }
  return new TextEncoder().encode(jsonText(editedValue(value, random)));
};

/** The same for each line on its own. */
export const editJsonLine: Edit = (bytes, random) => {
  const lines = new TextDecoder().decode(bytes).split('\n');
  const at = Math.floor(random() * lines.length);
  lines[at] = new TextDecoder().decode(editJson(new TextEncoder().encode(lines[at]), random));
  return new TextEncoder().encode(lines.join('\n'));
};

/** JSON has no NaN and no Infinity; readers meet them as words, and as numbers that are too large. */
function jsonText(value: unknown): string {
  return (
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === 'number' && !Number.isFinite(item) ? `\u0001${item}` : item,
    )?.replace(/"\\u0001(-?)(NaN|Infinity)"/g, (_, sign: string, word: string) =>
      word === 'NaN' ? 'NaN' : `${sign}1e999`,
    ) ?? 'null'
  );
}

export function editedValue(value: unknown, random: Random): unknown {
  if (value !== null && typeof value === 'object' && random() < 0.93) {
    return Array.isArray(value) ? editedList(value, random) : editedObject(value, random);
  }
  return otherValue(value, random);
}

function editedList(list: readonly unknown[], random: Random): unknown[] {
  const copy = [...list];
  const at = Math.floor(random() * copy.length);
  if (copy.length === 0 || random() < 0.9) {
    if (copy.length > 0) copy[at] = editedValue(copy[at], random);
    return copy;
  }
  const roll = random();
  if (roll < 0.3) copy.splice(at, 1);
  else if (roll < 0.6) copy.splice(at, 0, copy[Math.floor(random() * copy.length)]);
  else if (roll < 0.8) copy.reverse();
  else copy.length = at;
  return copy;
}

function editedObject(object: object, random: Random): object {
  const entries = Object.entries(object);
  const at = Math.floor(random() * entries.length);
  if (entries.length === 0) return object;
  const [key, value] = entries[at]!;
  const roll = random();
  if (roll < 0.92) entries[at] = [key, editedValue(value, random)];
  else if (roll < 0.96) entries.splice(at, 1);
  else entries[at] = [entries[Math.floor(random() * entries.length)]![0], value];
  return Object.fromEntries(entries);
}

function otherValue(value: unknown, random: Random): unknown {
  const roll = random();
  if (roll < 0.7 && typeof value === 'number') return otherNumber(random, value);
  if (roll < 0.7 && typeof value === 'string') return otherText(random, value);
  const others = [
    null,
    true,
    false,
    0,
    -1,
    1e15,
    '',
    'text',
    [],
    {},
    [[]],
    { a: [1] },
    [null],
    '1970-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.000Z',
  ];
  return others[Math.floor(random() * others.length)];
}
