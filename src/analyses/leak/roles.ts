import type { Recording } from '../../model/recording.ts';

/** `worker 1`, `worker 2` … all play the role `worker`. */
export const withoutNumber = (role: string): string => role.replace(/ \d+$/, '');

/** The role of a pid at a time, without its number. */
export function roleFinder(recording: Recording): (pid: number, ns: number) => string {
  const roleAt = numberedRoles(recording);
  return (pid, ns) => withoutNumber(roleAt(pid, ns));
}

/** The role of a pid at a time, with its number: pids are used again. */
export function numberedRoles(recording: Recording): (pid: number, ns: number) => string {
  const table = recording.table('processes');
  const [pids, firsts] = [table.u32('pid'), table.f64('first_seen')];
  const [roles, names] = [table.u32('role'), table.u32('name')];
  const byPid = new Map<number, { from: number; role: string }[]>();
  for (let row = 0; row < table.rows; row++) {
    const role = recording.text(roles[row]!) || recording.text(names[row]!) || 'process';
    const list = byPid.get(pids[row]!) ?? [];
    list.push({ from: firsts[row]!, role });
    byPid.set(pids[row]!, list);
  }
  for (const list of byPid.values()) list.sort((a, b) => a.from - b.from);
  return (pid, ns) => {
    const list = byPid.get(pid);
    if (!list) return 'process';
    let found = list[0]!;
    for (const process of list) if (process.from <= ns) found = process;
    return found.role;
  };
}
