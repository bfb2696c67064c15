import { readFileSync } from 'node:fs';
import { type RunFigures, runFigures } from '../../../analyses/check/run-figures.ts';
import { report } from '../../../analyses/report.ts';
import { isObject, listOf, number, shape, text } from '../../../base/checks.ts';
import { UserError } from '../../../base/errors.ts';
import { printable } from '../../../base/text.ts';
import { VERSION } from '../../../base/version.ts';
import { orUserError } from '../../../model/disk/files.ts';
import { openRuns } from '../../../open/runs.ts';
import { writeOutFile } from '../../output/out-file.ts';
import { parseJson } from './json-text.ts';

const TYPE = 'highwater-baseline';
const SCHEMA_VERSION = 1;

/** Baselines are files of ours, recordings, or folders of recordings; all their runs count alike. */
export async function readBaseline(paths: readonly string[]): Promise<RunFigures[]> {
  const found: RunFigures[] = [];
  for (const path of paths) {
    if (path.endsWith('.json')) {
      found.push(...readFile(path));
      continue;
    }
    const { runs, skipped } = await openRuns([path]);
    if (skipped[0]) throw new UserError(`the baseline cannot be read: ${skipped[0].reason}`);
    found.push(...runs.map(({ recording }) => runFigures(report(recording))));
  }
  return found;
}

/** Small and sorted, so that a change of it in a repository can be read. */
export function saveBaseline(path: string, runs: readonly RunFigures[], force: boolean): void {
  const all = { type: TYPE, schemaVersion: SCHEMA_VERSION, highwater: VERSION, runs };
  writeOutFile(path, [`${JSON.stringify(all, null, 1)}\n`], force);
}

function readFile(path: string): RunFigures[] {
  const bad = (what: string) =>
    new UserError(`${path} is no baseline: ${printable(what)}`, {
      hint: 'make one: highwater check REC --save-baseline FILE.json',
    });
  const value = parseJson(
    orUserError(path, () => readFileSync(path, 'utf8')),
    bad,
  );
  if (!isObject(value) || value.type !== TYPE) throw bad(`its type is not ${TYPE}`);
  if (value.schemaVersion !== SCHEMA_VERSION) {
    throw bad(`it is of version ${value.schemaVersion}, this Highwater reads ${SCHEMA_VERSION}`);
  }
  if (!Array.isArray(value.runs) || value.runs.length === 0) throw bad('it has no runs');
  return value.runs.map((run: unknown, i): RunFigures => {
    if (!isGauges(run)) throw bad(`run ${i + 1} has no peaks`);
    return run;
  });
}

const GAUGES = shape({
  name: text,
  peaks: (peaks) =>
    isObject(peaks) &&
    Object.values(peaks).every((bytes) => typeof bytes === 'number' && bytes >= 0),
  parts: listOf(shape({ name: text, bytes: number })),
});

const isGauges = (run: unknown): run is RunFigures => GAUGES(run);
