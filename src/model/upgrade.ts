import { FormatError } from '../base/errors.ts';
import { SCHEMA_VERSION } from './schema.ts';

type Json = Record<string, unknown>;
export type Upgraders = ReadonlyMap<number, (run: Json) => Json>;

/**
 * upgraders[n] turns run.json of version n-1 into version n, so that all other code sees only the
 * newest. A change to a table's columns is handled here too, by naming what the old table lacks:
 * missing Float64 columns read as null without any help.
 */
const UPGRADERS: Upgraders = new Map<number, (run: Json) => Json>([
  // Version 1 did not say whether a recording had been folded.
  [2, (run) => ({ ...run, foldedSeconds: null })],
  // Version 2 held no allocator's settings: nothing imported allocation traces yet.
  [3, (run) => ({ ...run, allocator: null })],
  // Version 3 had no processor time, and of a control group neither anonymous nor shared memory: null.
  [4, (run) => run],
]);

/** Brings run.json to the newest version; the chain is a parameter so that tests can lengthen it. */
export function upgradeRun(run: Json, newest = SCHEMA_VERSION, upgraders = UPGRADERS): Json {
  const version = run.schemaVersion;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw new FormatError('run.json has no schemaVersion');
  }
  if (version > newest) {
    throw new FormatError(
      `the recording has format version ${version}; this Highwater reads up to ${newest}`,
      { hint: 'update Highwater' },
    );
  }
  let current = run;
  for (let n = version + 1; n <= newest; n++) {
    current = { ...upgraders.get(n)!(current), schemaVersion: n };
  }
  return current;
}
