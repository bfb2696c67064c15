import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENS = '0A';

/** TCP ports that are listened on, with the kernel's number of each socket. */
export function listeningPorts(proc = '/proc'): Map<string, number> {
  const found = new Map<string, number>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of linesOf(`${proc}/self/net/${table}`).slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[3] !== LISTENS) continue;
      found.set(fields[9]!, Number.parseInt(fields[1]!.split(':').at(-1)!, 16));
    }
  }
  return found;
}

/** Ports that a process itself listens on. */
export function portsOf(pid: number, proc = '/proc'): number[] {
  const sockets = listeningPorts(proc);
  const ports = new Set<number>();
  for (const fd of listed(`${proc}/${pid}/fd`)) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`${proc}/${pid}/fd/${fd}`))?.[1];
    const port = inode === undefined ? undefined : sockets.get(inode);
    if (port !== undefined) ports.add(port);
  }
  return [...ports];
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}

function listed(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
