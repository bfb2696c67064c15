import type { Sweep } from '../../analyses/sweep/index.ts';
import { resultJson } from '../../views/json.ts';
import { sweepMarkdown, sweepText } from '../../views/sweep.ts';
import { readManifest } from './manifest-file.ts';
import { openSweep } from './result.ts';

export interface Shape {
  readonly json?: true;
  readonly markdown?: true;
}

/** A sweep's result for a person, a page or a program. */
export function sweepOutput(result: Sweep, { json, markdown }: Shape): string {
  return json ? resultJson(result) : markdown ? sweepMarkdown(result) : sweepText(result);
}

/** The table of a sweep's folder, from its recordings. */
export function sweepReport(folder: string, shape: Shape): string {
  return sweepOutput(openSweep(folder, readManifest(folder)).result, shape);
}
