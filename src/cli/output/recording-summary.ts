import { describeError } from '../../base/errors.ts';
import { typedAs } from '../../base/typed-as.ts';
import type { RecordResult } from '../../record/run/session.ts';

/** The answer, a short summary and the next commands to type, at the end of `record`. */
export async function printSummary(
  result: RecordResult,
  stream: NodeJS.WritableStream,
): Promise<void> {
  try {
    const [{ openInput }, { report }, { summaryLines }] = await Promise.all([
      import('../../open/open.ts'),
      import('../../analyses/report.ts'),
      import('../../views/report/summary.ts'),
    ]);
    const recording = await openInput(result.folder);
    const lines = summaryLines(report(recording), result.folder, typedAs());
    stream.write(`${lines.join('\n')}\n`);
  } catch (error) {
    // The recording stands, whatever happens to its summary.
    stream.write(`highwater: recorded in ${result.folder}, but: ${describeError(error)}\n`);
  }
}
