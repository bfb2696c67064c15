import { readPeakTable } from '../../../open/peak-table.ts';
import { type FitRequest, fitRuns } from '../../../sweep/fit.ts';
import { resultJson } from '../../../views/json.ts';
import { fitMarkdown, fitText } from '../../../views/sweep/fit.ts';
import type { OutputShape } from '../sweep/report.ts';

/** The answer for a table of peaks that was measured elsewhere. */
export function tableReport(
  path: string,
  request: FitRequest,
  { json, markdown }: OutputShape,
): string {
  const { runs, ...table } = readPeakTable(path);
  const result = fitRuns(runs, table, request);
  // Under the same key as in a sweep's result.
  const whole = { type: 'peak-table', schemaVersion: 1, fit: result };
  if (json) return resultJson(whole);
  return markdown ? fitMarkdown(result) : fitText(result);
}
