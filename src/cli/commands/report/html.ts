import { formatBytes } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import { ViewInputs } from '../../../server/inputs.ts';
import { oneFile } from '../../../server/one-file.ts';
import { writeOutFile } from '../../output/out-file.ts';
import { tell } from '../../output/terminal.ts';

/** Writes the web view of inputs as one file, and says how large it is. */
export async function writeHtml(
  inputs: readonly string[],
  file: string,
  force: boolean,
): Promise<void> {
  const say = (line: string) => tell(`${line}\n`);
  const opened = new ViewInputs(inputs, () => {});
  await opened.open();
  const failed = opened.info.runs.filter(({ error }) => error !== null);
  if (opened.runs.length === 0) throw new UserError(failed[0]?.error ?? 'there is nothing to show');
  for (const { path, error } of failed) say(`highwater: skipped: ${path}: ${error}`);
  const pieces = await oneFile(opened);
  writeOutFile(file, pieces, force);
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  say(`${file}: ${formatBytes(bytes)}, opens in any browser without a network`);
}
