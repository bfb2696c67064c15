import { describeError } from '../base/errors.ts';
import type { RecordResult } from '../record/session.ts';
import { typedAs } from './typed-as.ts';

/** The answer, a short summary and the next commands to type, at the end of `record`. */
export async function printSummary(
  result: RecordResult,
  stream: NodeJS.WritableStream,
): Promise<void> {
  try {
    const [{ openInput }, { report }, { summaryLines }] = await Promise.all([
      import('./open.ts'),
      import('../analyses/report.ts'),
      import('../views/summary.ts'),
    ]);
    const recording = await openInput(result.folder);
    const lines = summaryLines(report(recording), result.folder, typedAs());
    stream.write(`${lines.join('\n')}\n`);
  } catch (error) {
    // The recording stands, whatever happens to its summary.
    stream.write(`highwater: recorded in ${result.folder}, but: ${describeError(error)}\n`);
  }
}
