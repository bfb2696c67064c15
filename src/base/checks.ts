/** Whether a value out of untrusted JSON has the expected shape; composed of small checks. */
export type JsonCheck = (value: unknown) => boolean;

export const text: JsonCheck = (value) => typeof value === 'string';
/** JSON writes 1e999, which is no number of anything. */
export const number: JsonCheck = Number.isFinite;
export const flag: JsonCheck = (value) => typeof value === 'boolean';
export const scalar: JsonCheck = (value) =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);
export const date: JsonCheck = (value) =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value));
export const orNull =
  (check: JsonCheck): JsonCheck =>
  (value) =>
    value === null || check(value);
export const listOf =
  (check: JsonCheck): JsonCheck =>
  (value) =>
    Array.isArray(value) && value.every(check);
export const oneOf =
  (...allowed: unknown[]): JsonCheck =>
  (value) =>
    allowed.includes(value);
export function shape(fields: Readonly<Record<string, JsonCheck>>): JsonCheck {
  const keys = Object.keys(fields);
  const checks = Object.values(fields);
  return (value) => {
    if (!isObject(value)) return false;
    for (let i = 0; i < keys.length; i++) if (!checks[i]!(value[keys[i]!])) return false;
    return true;
  };
}
export const optional =
  (check: JsonCheck): JsonCheck =>
  (value) =>
    value === undefined || check(value);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
