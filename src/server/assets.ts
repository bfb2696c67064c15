import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../base/errors.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The page's own files, by name. Only these names are ever served: no path leads anywhere else. */
export function pageAssets(folder = fileURLToPath(new URL('./web/', import.meta.url))) {
  const assets = new Map<string, Asset>();
  try {
    for (const name of readdirSync(folder)) {
      const type = TYPES[extname(name)];
      if (type) assets.set(name, { type, bytes: readFileSync(`${folder}/${name}`) });
    }
  } catch (error) {
    throw new UserError('the web page is not part of this build', {
      hint: 'run npm run build',
      cause: error,
    });
  }
  return assets;
}
