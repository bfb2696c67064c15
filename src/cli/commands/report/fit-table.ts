import { whatFits } from '../../../analyses/fit/index.ts';
import { readPeakTable } from '../../../open/fit-table.ts';
import { resultJson } from '../../../views/json.ts';
import { fitMarkdown, fitText } from '../../../views/sweep/fit.ts';
import { checkPlace, type FitFlags } from '../../flags/fit.ts';
import type { Shape } from '../sweep/report.ts';

/** The answer for a table of peaks that was measured elsewhere. */
export function tableReport(
  path: string,
  limit: number,
  { at, inUse }: FitFlags,
  { json, markdown }: Shape,
): string {
  const { runs, measures, inUse: found } = readPeakTable(path);
  checkPlace(at, runs);
  const taken = inUse === undefined ? found : { bytes: inUse, what: 'as given' };
  const result = whatFits(runs, measures, { limitBytes: limit, inUse: taken, at: at ?? null });
  // Under the same key as in a sweep's result.
  const whole = { type: 'peak-table', schemaVersion: 1, fit: result };
  if (json) return resultJson(whole);
  return markdown ? fitMarkdown(result) : fitText(result);
}
