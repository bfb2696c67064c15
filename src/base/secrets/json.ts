import { suspicionOf } from './names.ts';
import { withoutSecrets } from './text.ts';
import { HIDDEN, isSecretValue } from './values.ts';

/** Any JSON without its secrets: in its texts, behind names that say so, and in names themselves. */
export function hideSecrets<T>(value: T): T {
  return hidden(value, '') as T;
}

function hidden(value: unknown, name: string): unknown {
  if (typeof value === 'string') {
    return isSecretValue(value, suspicionOf(name), true) ? HIDDEN : withoutSecrets(value);
  }
  if (Array.isArray(value)) return value.map((one) => hidden(one, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [withoutSecrets(key), hidden(one, key)]),
  );
}
