import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  date,
  isObject,
  type JsonCheck,
  listOf,
  oneOf,
  orNull,
  shape,
  text,
} from '../base/checks.ts';
import { FormatError, UserError } from '../base/errors.ts';
import { orUserError, readWhole, replaceFile } from '../model/disk/files.ts';
import { MANIFEST, MANIFEST_VERSION, type Manifest } from './manifest.ts';

export const isSweepFolder = (folder: string): boolean => existsSync(join(folder, MANIFEST));

/** The manifest of a sweep's folder; untrusted input, so all of it is checked. */
export function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  if (!isSweepFolder(folder)) {
    throw new UserError(`${folder} is no sweep: it has no ${MANIFEST}`, {
      hint: 'name the folder that highwater sweep made',
    });
  }
  const json = orUserError(path, () => new TextDecoder().decode(readWhole(path)));
  try {
    return checkManifest(JSON.parse(json), path);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FormatError(`${path} is damaged: it is no JSON`, { cause: error });
  }
}

export function writeManifest(folder: string, manifest: Manifest): void {
  const path = join(folder, MANIFEST);
  const json = `${JSON.stringify(manifest, null, 2)}\n`;
  orUserError(path, () => replaceFile(path, json), 'write');
}

const whole: JsonCheck = (value) => Number.isInteger(value) && (value as number) >= 1;
const finite: JsonCheck = (value) => Number.isFinite(value);

/** A file right inside the folder, whatever a manifest from elsewhere would like to reach. */
const fileName =
  (ending: string): JsonCheck =>
  (value) =>
    typeof value === 'string' && /^[A-Za-z_][\w.+=,~#-]*$/.test(value) && value.endsWith(ending);

const FIELDS: { readonly [K in keyof Manifest]: JsonCheck } = {
  schemaVersion: whole,
  type: oneOf('sweep'),
  startedAt: date,
  updatedAt: date,
  plan: shape({
    name: text,
    command: listOf(text),
    env: listOf(text),
    params: listOf(shape({ name: text, values: listOf(text) })),
    repeat: whole,
    recordFlags: listOf(text),
  }),
  jobs: whole,
  runs: listOf(
    shape({
      combination: (value) => isObject(value) && Object.values(value).every(text),
      repeat: whole,
      recording: fileName('.hw'),
      log: fileName('.log'),
      state: oneOf('waiting', 'running', 'done', 'failed', 'interrupted'),
      exitCode: orNull(finite),
      signal: orNull(text),
      reason: orNull(text),
      wallSeconds: orNull(finite),
    }),
  ),
  plots: listOf(
    (value) => typeof value === 'string' && /^Plots\/\w[\w.-]*\.(svg|png)$/.test(value),
  ),
};

/** A manifest that can be relied on, or one line that says what is wrong with it. */
function checkManifest(json: unknown, path: string): Manifest {
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
