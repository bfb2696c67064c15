import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MiB } from '../../../base/bytes.ts';
import { describeError } from '../../../base/errors.ts';
import { harmless } from '../../../base/text.ts';
import { typedAs } from '../../../base/typed-as.ts';
import type { SessionResult } from '../../../record/run/session.ts';

/** A larger one is not read again where nobody waits for its report: `job` makes its summary when it is asked. */
const READ_AT_ONCE = 64 * MiB;

/** Leaves the summary in the recording and, unless `quiet`, says the answer, a few figures and the next commands to type. */
export async function conclude(
  { folder, writeFailure }: SessionResult,
  quiet: boolean,
  stream: NodeJS.WritableStream,
): Promise<void> {
  if (quiet && (writeFailure !== null || bytesIn(folder) > READ_AT_ONCE)) return;
  try {
    const [{ openInput }, { report }, { summarize }, { writeSummary }] = await Promise.all([
      import('../../../open/open.ts'),
      import('../../../analyses/report.ts'),
      import('../../../analyses/job/summarize.ts'),
      import('../../../model/disk/summary-file.ts'),
    ]);
    const recording = await openInput(folder);
    const result = report(recording);
    if (writeFailure === null) writeSummary(folder, summarize(recording, result));
    if (quiet) return;
    const { summaryLines } = await import('../../../views/report/summary.ts');
    stream.write(harmless(`${summaryLines(result, folder, typedAs()).join('\n')}\n`));
  } catch (error) {
    // The recording stands, whatever happens to its summary.
    if (!quiet) stream.write(`highwater: recorded in ${folder}, but: ${describeError(error)}\n`);
  }
}

function bytesIn(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
