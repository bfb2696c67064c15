import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FormatError, UserError } from '../base/errors.ts';
import { orUserError, readWhole, replaceFile } from '../model/disk/files.ts';
import { MANIFEST, type Manifest } from './manifest.ts';
import { checkManifest } from './manifest-check.ts';

export const isSweepFolder = (folder: string): boolean => existsSync(join(folder, MANIFEST));

/** The manifest of a sweep's folder; it may come from anybody, so nothing in it is believed unseen. */
export function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  if (!isSweepFolder(folder)) {
    throw new UserError(`${folder} is no sweep: it has no ${MANIFEST}`, {
      hint: 'name the folder that highwater sweep made',
    });
  }
  const text = orUserError(path, () => new TextDecoder().decode(readWhole(path)));
  try {
    return checkManifest(JSON.parse(text), path);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FormatError(`${path} is damaged: it is no JSON`, { cause: error });
  }
}

export function writeManifest(folder: string, manifest: Manifest): void {
  const path = join(folder, MANIFEST);
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  orUserError(path, () => replaceFile(path, text), 'write');
}
