import { readText } from '../proc.ts';
import type { GroupLocation, Machine } from '../source.ts';

/** Names of the files, which differ between the two versions of control groups. */
export const FILES = {
  1: {
    current: 'memory.usage_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    limit: 'memory.limit_in_bytes',
    events: 'memory.oom_control',
  },
  2: {
    current: 'memory.current',
    peak: 'memory.peak',
    limit: 'memory.max',
    events: 'memory.events',
  },
} as const;

/** The memory control group of a process, or null where there is none to be seen. */
export function locateGroup(machine: Machine, pid: number | 'self' = 'self'): GroupLocation | null {
  const membership = readText(`${machine.proc}/${pid}/cgroup`);
  if (membership === null) return null;
  for (const line of membership.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined) continue;
    const version = controllers === '' ? 2 : 1;
    if (version === 1 && !controllers!.split(',').includes('memory')) continue;
    for (const mount of version === 1 ? ['memory'] : ['', 'unified']) {
      // In a container the path may be the host's; then our own group is the mount's root.
      for (const inside of [path, '/']) {
        const folder = `${machine.cgroup}/${mount}/${inside}`
          .replace(/\/+/g, '/')
          .replace(/\/$/, '');
        if (readText(`${folder}/${FILES[version].current}`) !== null) return { version, folder };
      }
    }
  }
  return null;
}

/** The smallest limit of the group and the groups above it; null when there is none. */
export function groupLimit(machine: Machine, location: GroupLocation): number | null {
  let smallest = Number.POSITIVE_INFINITY;
  // In a container its own group is where groups are mounted; the true root has no such file.
  for (let folder = location.folder; folder.length >= machine.cgroup.length; ) {
    const limit = Number(readText(`${folder}/${FILES[location.version].limit}`) ?? Number.NaN);
    // Version 1 says "no limit" with a number near 2⁶³.
    if (limit < 2 ** 60) smallest = Math.min(smallest, limit);
    folder = folder.slice(0, folder.lastIndexOf('/'));
  }
  return Number.isFinite(smallest) ? smallest : null;
}

/** How many processes the kernel killed for memory in this group, or null where it does not count. */
export function oomKills(location: GroupLocation): number | null {
  const text = readText(`${location.folder}/${FILES[location.version].events}`);
  const match = /^oom_kill (\d+)$/m.exec(text ?? '');
  return match ? Number(match[1]) : null;
}
