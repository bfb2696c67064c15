import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describeError, UserError } from '../base/errors.ts';

/** Files that were dropped on a page: they lie in a folder that only this user can read, until the server ends. */
export class TakenFiles {
  #folder: string | null = null;
  #count = 0;

  /** Writes one; its path. */
  async take(name: string, content: Readable): Promise<string> {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'highwater-view-'));
    // A folder of its own: two of the same name are two files.
    const folder = join(this.#folder, String(this.#count++));
    mkdirSync(folder);
    const path = join(folder, plainName(name));
    try {
      await pipeline(content, createWriteStream(path, { mode: 0o600 }));
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw new UserError(`${plainName(name)} could not be taken: ${describeError(error)}`);
    }
    return path;
  }

  remove(): void {
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Formats look at endings; nothing else of a name matters, and no path is taken from it. */
const plainName = (name: string) =>
  name
    .replace(/[^\w.+-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(-100) || 'file';
