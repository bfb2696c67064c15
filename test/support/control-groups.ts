import { mkdirSync, rmdirSync } from 'node:fs';
import { locateGroup } from '../../src/sources/cgroup/location.ts';
import { makeOwnGroup } from '../../src/sources/cgroup/own-group.ts';
import { THIS_MACHINE } from '../../src/sources/source.ts';

/** Why a recorder can make no control group for its workload here; null when it can. */
export function lackOfControlGroups(): string | null {
  const made = makeOwnGroup(THIS_MACHINE, `${process.pid}-test`);
  if ('reason' in made) return `${made.reason}: needs root and memory control groups`;
  made.remove();
  const { folder } = locateGroup(THIS_MACHINE)!;
  try {
    mkdirSync(`${folder}/highwater-${process.pid}-try`);
    rmdirSync(`${folder}/highwater-${process.pid}-try`);
    return null;
  } catch {
    return 'no control group can be made here: needs root';
  }
}
