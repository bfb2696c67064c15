import { FormatError, UserError } from '../../base/errors.ts';
import { isObject } from '../../model/run-check.ts';
import { MANIFEST_VERSION, type Manifest } from './manifest.ts';

type Check = (value: unknown) => boolean;
const text: Check = (value) => typeof value === 'string';
const whole: Check = (value) => Number.isInteger(value) && (value as number) >= 1;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([key, check]) => check(value[key]));
const date: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const number: Check = (value) => Number.isFinite(value);

/** A file right inside the folder, whatever a manifest from elsewhere would like to reach. */
const fileName =
  (ending: string): Check =>
  (value) =>
    typeof value === 'string' && /^[A-Za-z_][\w.+=,~#-]*$/.test(value) && value.endsWith(ending);

const STATES = ['waiting', 'running', 'done', 'failed', 'interrupted'];

const FIELDS: { readonly [K in keyof Manifest]: Check } = {
  schemaVersion: whole,
  type: (value) => value === 'sweep',
  startedAt: date,
  updatedAt: date,
  plan: shape({
    name: text,
    command: list(text),
    env: list(text),
    params: list(shape({ name: text, values: list(text) })),
    repeat: whole,
    recordFlags: list(text),
  }),
  jobs: whole,
  runs: list(
    shape({
      combination: (value) => isObject(value) && Object.values(value).every(text),
      repeat: whole,
      recording: fileName('.hw'),
      log: fileName('.log'),
      state: (value) => STATES.includes(value as string),
      exitCode: orNull(number),
      signal: orNull(text),
      reason: orNull(text),
      wallSeconds: orNull(number),
    }),
  ),
  plots: list((value) => typeof value === 'string' && /^Plots\/\w[\w.-]*\.(svg|png)$/.test(value)),
};

/** A manifest that can be relied on, or one line that says what is wrong with it. */
export function checkManifest(json: unknown, path: string): Manifest {
  if (!isObject(json) || json.type !== 'sweep' || !whole(json.schemaVersion)) {
    throw new FormatError(`${path} is not a sweep's`);
  }
  if ((json.schemaVersion as number) > MANIFEST_VERSION) {
    throw new UserError(`${path} was written by a newer Highwater`, { hint: 'update Highwater' });
  }
  const wrong = Object.entries(FIELDS).find(([key, check]) => !check(json[key]));
  if (wrong) throw new FormatError(`${path} is damaged: '${wrong[0]}' is not what it should be`);
  return json as unknown as Manifest;
}
