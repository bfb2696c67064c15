import { report } from '../../../analyses/report.ts';
import { UserError } from '../../../base/errors.ts';
import type { Recording } from '../../../model/recording.ts';
import { openInput } from '../../../open/open.ts';
import { chartTitle } from '../../../views/chart/title.ts';
import { orNewest } from '../../output/newest.ts';
import type { PlotOptions } from './plot-kind.ts';

/** The recording that a flag draws alone. */
export async function openOne(
  inputs: readonly string[],
  options: PlotOptions,
  flag: string,
): Promise<Recording> {
  if (inputs.length > 1) {
    throw new UserError(`${flag} draws one recording`, { hint: 'name one of them' });
  }
  return openInput(orNewest(inputs[0]), options.hints);
}

export const titleOf = (recording: Recording, { title }: PlotOptions): string =>
  title ?? chartTitle(report(recording));
