import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'test/fixtures/formats';

/** Files kept under test/fixtures/formats/<id>: real ones, and those that once broke something. */
export function keptFiles(id: string): { path: string; bytes: Uint8Array }[] {
  return listing(join(FOLDER, id)).map((path) => ({
    path,
    bytes: new Uint8Array(readFileSync(path)),
  }));
}

function listing(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch {
    return [];
  }
}
