/** What a value out of somebody else's JSON must be, put together from small checks. */
export type Check = (value: unknown) => boolean;

export const text: Check = (value) => typeof value === 'string';
export const number: Check = (value) => typeof value === 'number';
export const flag: Check = (value) => typeof value === 'boolean';
export const scalar: Check = (value) =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);
export const date: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
export const oneOf =
  (...allowed: unknown[]): Check =>
  (value) =>
    allowed.includes(value);
export const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([key, check]) => check(value[key]));
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
