import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { ANALYSIS, isAnalysis } from '../../analyses/tags/saved.ts';
import { UserError } from '../../base/errors.ts';
import { orUserError } from '../../model/disk/files.ts';

/** `<log>_ANALYSIS` for each log; logs of one name are told apart by their folders. */
export function analysisNames(paths: readonly string[]): string[] {
  const plain = paths.map((path) => basename(resolve(path)));
  const names = paths.map((path, i) => {
    const alone = plain.filter((name) => name === plain[i]).length === 1;
    return alone ? plain[i]! : `${basename(dirname(resolve(path)))}-${plain[i]}`;
  });
  const twice = names.findIndex((name, i) => names.indexOf(name) !== i);
  if (twice >= 0) {
    throw new UserError(`two logs are called ${names[twice]}`, {
      hint: 'analyse them one at a time, each with an -o of its own',
    });
  }
  return names.map((name) => `${name}${ANALYSIS}`);
}

/** An analysis can be made anew at any time, so it may be replaced; anything else may not. */
export function refuseOthers(path: string): void {
  const stat = orUserError(path, () => statSync(path, { throwIfNoEntry: false }), 'write');
  if (!stat) return;
  const ours = stat.isFile() && isAnalysis(String(orUserError(path, () => readFileSync(path))));
  if (!ours) {
    throw new UserError(`${path} exists already and is no analysis`, {
      hint: 'give another folder with -o',
    });
  }
}
