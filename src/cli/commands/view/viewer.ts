import { readFileSync } from 'node:fs';
import { formatBytes } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import { writeOutFile } from '../../output/out-file.ts';
import { tell } from '../../output/terminal.ts';

/** Beside us in the bundle. */
const VIEWER = new URL('./highwater-viewer.html', import.meta.url);

/** Writes the page that opens dropped files by itself. */
export function writeViewer(file: string, force: boolean): void {
  let page: string;
  try {
    page = readFileSync(VIEWER, 'utf8');
  } catch (error) {
    throw new UserError('the viewer is not part of this build', {
      hint: 'run npm run build',
      cause: error,
    });
  }
  writeOutFile(file, [page], force);
  tell(`${file}: ${formatBytes(Buffer.byteLength(page))}; open it and drop files on it\n`);
}
