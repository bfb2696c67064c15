import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import type { Declare } from './programs.ts';

/**
 * Large real inputs with known answers lie beside a developer's checkout, not in it. A clone without
 * them skips these tests and says so; the project's own fixtures carry the rest.
 */
export const SHARED = join(import.meta.dirname, '../../../shared/data');
/** Part of the name of such a skipped test: the one reason that is allowed where nothing else is. */
const NO_SHARED = '[skipped: no ../shared/data beside this checkout]';

/** `it` for a test that reads such files. */
export function whereShared(...paths: string[]): Declare {
  if (paths.every((path) => existsSync(join(SHARED, path)))) return it;
  return (name) => it.skip(`${name} ${NO_SHARED}`, () => {});
}
