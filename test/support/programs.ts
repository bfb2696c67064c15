import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { it } from 'vitest';

type Body = () => Promise<void> | void;
/** Declares a test, as vitest's `it` does. */
export type Declare = (name: string, body: Body, timeout?: number) => void;

/**
 * `it` for a test that runs real programs. Where one is absent the test skips and its name says
 * which; with HIGHWATER_NO_SKIP=1, where all of them must be there, it fails.
 */
export function needs(...programs: string[]): Declare {
  return where(lack(...programs));
}

/** Which of these programs are absent, as a reason; null when all are here. */
export function lack(...programs: string[]): string | null {
  const absent = programs.filter((program) => !isHere(program));
  return absent.length === 0 ? null : `needs ${absent.join(' and ')}, not on this machine`;
}

/** `it` where something is possible; `reason` says why it is not, null that it is. */
export function where(reason: string | null): Declare {
  if (reason === null) return (name, body, timeout) => it(name, body, timeout);
  if (process.env.HIGHWATER_NO_SKIP !== '1') {
    return (name) => it.skip(`${name} [skipped: ${reason}]`, () => {});
  }
  return (name) =>
    it(name, () => {
      throw new Error(`${reason}, and HIGHWATER_NO_SKIP=1 lets nothing skip`);
    });
}

function isHere(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

let interpreter: string | undefined;

/** Python itself: `python3` on the PATH may be a shell script of a version manager. */
export function python(): string {
  interpreter ??= execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).trim();
  return interpreter;
}
