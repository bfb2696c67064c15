import { shortNames } from '../base/short-names.ts';
import type { Recording } from '../model/recording.ts';

/** What recordings are called or, where that does not tell them apart, their files, then `withFolder`; common parts left out. */
export function runNames(
  opened: readonly { readonly path: string; readonly recording: Recording }[],
  withFolder: readonly string[],
): string[] {
  const paths = opened.map(({ path }) => path);
  const called = opened.map(({ path, recording: { run } }) =>
    run.subject === 'import' ? stem(path) : run.name,
  );
  const names = [called, paths.map(stem), paths.map(fileName), withFolder].find(
    (some) => new Set(some).size === some.length,
  );
  return shortNames(names ?? paths);
}

const fileName = (path: string) => path.replace(/\/+$/, '').split('/').at(-1)!;

const stem = (path: string) =>
  fileName(path).replace(/(?:\.[A-Za-z]\w{0,6})?(?:\.gz)?$/i, '') || fileName(path);
