import { writeFileSync } from 'node:fs';
import type { RunInfo } from '../../model/run.ts';
import { deviceLimits } from '../../sources/cgroup/device-memory.ts';
import { groupLimit, locateGroup, oomKills } from '../../sources/cgroup/location.ts';
import { makeOwnGroup, type OwnGroup } from '../../sources/cgroup/own-group.ts';
import { machineOomKills, type OomCounts } from '../../sources/oom.ts';
import type { GroupLocation, Machine } from '../../sources/source.ts';
import type { SamplerSettings } from '../threads/messages.ts';

/** The control group that is read: the workload's own where one could be made, else the one it is in. */
export class WorkloadCgroup {
  readonly #machine: Machine;
  readonly #own: OwnGroup | null;
  readonly #location: GroupLocation | null;

  constructor(machine: Machine, location: GroupLocation | null, own: OwnGroup | null) {
    this.#machine = machine;
    this.#location = location;
    this.#own = own;
  }

  /** For a command that is about to start; `name` begins with our pid, by which a stale one is known. */
  static forCommand(machine: Machine, name: string): WorkloadCgroup {
    const made = makeOwnGroup(machine, name);
    const own = 'reason' in made ? null : made;
    return new WorkloadCgroup(machine, own ?? locateGroup(machine), own);
  }

  /** For a process that runs already, or for the bare host (our own group). */
  static ofProcess(machine: Machine, pid: number | null): WorkloadCgroup {
    return new WorkloadCgroup(machine, locateGroup(machine, pid ?? 'self'), null);
  }

  /** A process joins by writing its pid to this file; null where there is no group of its own. */
  get procs(): string | null {
    return this.#own?.procs ?? null;
  }

  /**
   * A process of ours leaves the workload's group, where that may be: what it copies and writes is not the workload's.
   * What the workload itself copies because of it stays there, and is left out by whoever reads the group.
   */
  moveOut(pid: number): void {
    try {
      if (this.#own) writeFileSync(this.#own.recorderProcs, String(pid));
    } catch {} // it has ended, or it is not ours to move
  }

  get info(): RunInfo['cgroup'] {
    if (!this.#location) return null;
    const limitBytes = groupLimit(this.#machine, this.#location);
    const limits = deviceLimits(this.#machine, this.#location);
    const deviceLimitsOfIt = Object.keys(limits).length > 0 && { deviceLimits: limits };
    const own = this.#own !== null;
    return { version: this.#location.version, own, limitBytes, ...deviceLimitsOfIt };
  }

  get settings(): SamplerSettings['cgroup'] {
    if (!this.#location) return null;
    const { version, folder } = this.#location;
    return { version, folder, own: this.#own !== null };
  }

  oomCounts(): OomCounts {
    return {
      ownGroup: this.#own ? oomKills(this.#own) : null,
      machine: machineOomKills(this.#machine),
    };
  }

  remove(): void {
    this.#own?.remove();
  }
}
