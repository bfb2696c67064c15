import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { describeError } from '../../base/errors.ts';
import { readText } from '../proc.ts';
import type { GroupLocation, Machine } from '../source.ts';
import { locateGroup } from './location.ts';

/**
 * A control group that holds the workload and nothing else gives the exact peak of the whole tree
 * and proof of an out-of-memory kill. It is made *inside* our own group, never beside it, so that
 * every limit set on us still holds for the workload.
 */
export interface OwnGroup extends GroupLocation {
  /** A process joins by writing its pid here. */
  readonly procs: string;
  /** The group that the recorder is in: a process of ours among the workload's goes there. */
  readonly recorderProcs: string;
  /** Removes the group; processes that live on go back to where they came from. */
  remove(): void;
}

const PREFIX = 'highwater-';

export function makeOwnGroup(machine: Machine, name: string): OwnGroup | { reason: string } {
  const parent = locateGroup(machine);
  if (!parent) return { reason: 'no control group with memory accounting' };
  removeStale(machine, parent);
  try {
    return parent.version === 1 ? plainGroup(parent, name) : delegatedGroup(parent, name);
  } catch (error) {
    return { reason: `cannot make a control group in ${parent.folder}: ${describeError(error)}` };
  }
}

/** Version 1 lets groups nest freely. */
function plainGroup(parent: GroupLocation, name: string): OwnGroup {
  const recorder = parent.folder;
  return openGroup(parent, `${parent.folder}/${PREFIX}${name}`, recorder, () => {});
}

/**
 * Version 2 accounts for memory in inner groups only where the outer one holds no process: the
 * recorder must step aside into a group of its own. That works in a delegated scope.
 */
function delegatedGroup(parent: GroupLocation, name: string): OwnGroup | { reason: string } {
  const { folder } = parent;
  const control = `${folder}/cgroup.subtree_control`;
  if ((readText(control) ?? '').split(/\s/).includes('memory')) return plainGroup(parent, name);
  const aside = `${folder}/${PREFIX}recorder-${name}`;
  mkdirSync(aside);
  const back = () => {
    writeFileSync(`${folder}/cgroup.procs`, String(process.pid));
    rmdirSync(aside);
  };
  try {
    writeFileSync(`${aside}/cgroup.procs`, String(process.pid));
    writeFileSync(control, '+memory');
    withDeviceMemory(control);
  } catch (error) {
    try {
      back();
    } catch {}
    return { reason: `the control group is not ours to divide: ${describeError(error)}` };
  }
  return openGroup(parent, `${folder}/${PREFIX}${name}`, aside, () => {
    try {
      writeFileSync(control, '-dmem');
    } catch {}
    writeFileSync(control, '-memory');
    back();
  });
}

/** Where the kernel counts device memory and this group may divide it. */
function withDeviceMemory(control: string): void {
  try {
    writeFileSync(control, '+dmem');
  } catch {}
}

function openGroup(
  parent: GroupLocation,
  folder: string,
  recorder: string,
  afterwards: () => void,
): OwnGroup {
  mkdirSync(folder);
  const own = { version: parent.version, folder };
  return {
    ...own,
    procs: `${folder}/cgroup.procs`,
    recorderProcs: `${recorder}/cgroup.procs`,
    remove() {
      try {
        for (const pid of (readText(`${folder}/cgroup.procs`) ?? '').split('\n')) {
          if (pid !== '') moveTo(parent, pid);
        }
        rmdirSync(folder);
        afterwards();
      } catch {} // Left for the next recorder to clear away.
    },
  };
}

/** One that ends at this very moment must not keep the others from being moved. */
function moveTo(group: GroupLocation, pid: string): void {
  try {
    writeFileSync(`${group.folder}/cgroup.procs`, pid);
  } catch {}
}

/** A recorder that was killed could not clear up: its group is empty and its pid gone. */
function removeStale(machine: Machine, parent: GroupLocation): void {
  try {
    for (const name of readdirSync(parent.folder)) {
      const match = /^highwater-(?:recorder-)?(\d+)-/.exec(name);
      if (!match || readText(`${machine.proc}/${match[1]}/stat`) !== null) continue;
      try {
        rmdirSync(`${parent.folder}/${name}`);
      } catch {}
    }
  } catch {}
}
