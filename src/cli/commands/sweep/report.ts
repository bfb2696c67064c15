import type { Fit } from '../../../analyses/fit/index.ts';
import type { FitRequest } from '../../../analyses/fit/question.ts';
import type { Sweep } from '../../../analyses/sweep/index.ts';
import { fitVerdict } from '../../../analyses/verdict/fit.ts';
import { UserError } from '../../../base/errors.ts';
import { readPeakTable } from '../../../open/peak-table.ts';
import { fitRuns, fitSweep } from '../../../sweep/fit.ts';
import { refuseLocked } from '../../../sweep/lock.ts';
import { readManifest } from '../../../sweep/manifest-file.ts';
import { openSweep, type SweepWithRecordings } from '../../../sweep/result.ts';
import { fitMarkdown, fitText } from '../../../views/sweep/fit.ts';
import { sweepMarkdown, sweepText } from '../../../views/sweep/sweep.ts';
import { type FitFlags, fitRequest } from '../../flags/fit.ts';
import { answerJson, type JsonFlags } from '../../output/json.ts';
import { tell } from '../../output/terminal.ts';
import { drawFit } from './plots.ts';

interface OutputShape extends JsonFlags {
  readonly markdown?: true;
}

/** A sweep's result for a person, a page or a program; with what would fit, where that was asked for. */
export function sweepOutput(result: Sweep, fit: Fit | null, flags: OutputShape): string {
  const whole = fit ? { ...result, fit, verdict: fitVerdict({ fit }) } : result;
  if (flags.json) return answerJson(whole, flags, [result.folder]);
  if (flags.markdown) return sweepMarkdown(result) + (fit ? `\n${fitMarkdown(fit)}` : '');
  return sweepText(result) + (fit ? `\n${fitText(fit)}` : '');
}

/** The table of a sweep's folder, from its recordings. */
export async function sweepReport(folder: string, flags: OutputShape & FitFlags): Promise<string> {
  const { opened, fit } = await fitted(folder, openSweep(folder, readManifest(folder)), flags);
  return sweepOutput(opened.result, fit, flags);
}

/** What would fit, drawn into the folder where that can be; a sweep under way keeps it for itself. */
export async function fitted<T extends SweepWithRecordings>(
  folder: string,
  opened: T,
  flags: FitFlags,
): Promise<{ opened: T; fit: Fit | null }> {
  const request = fitRequest(flags);
  if (!request) return { opened, fit: null };
  const fit = fitSweep(opened, request);
  try {
    refuseLocked(folder);
    const drawn = await drawFit(folder, fit);
    const plots = [...new Set([...opened.result.plots, ...drawn])];
    return { opened: { ...opened, result: { ...opened.result, plots } }, fit };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    tell(`highwater: no picture: ${error.message}\n`);
    return { opened, fit };
  }
}

/** The answer for a table of peaks that was measured elsewhere. */
export function tableReport(path: string, request: FitRequest, flags: OutputShape): string {
  const { runs, ...table } = readPeakTable(path);
  const result = fitRuns(runs, table, request);
  // Under the same key as in a sweep's result.
  const whole = { type: 'peak-table', schemaVersion: 1, fit: result };
  if (flags.json) return answerJson({ ...whole, verdict: fitVerdict(whole) }, flags, [path]);
  return flags.markdown ? fitMarkdown(result) : fitText(result);
}
