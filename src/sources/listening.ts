import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** State of a socket that listens, in the kernel's tables. */
const LISTENS = '0A';
const ANY = /^0+$/;
/** 127.0.0.1 and ::1, as the kernel writes them: words of four bytes in the machine's order. */
const LOOPBACK: Readonly<Record<string, string>> = {
  '0100007F': '127.0.0.1',
  '00000000000000000000000001000000': '::1',
};

/**
 * Where on the loopback a process of these listens at a port: `127.0.0.1` or `::1`. null: none does, or only at another address, or
 * in a network of its own, where that port of ours is somebody else's.
 */
export function listensAt(port: number, pids: Iterable<number>, proc = '/proc'): string | null {
  const ours = link(`${proc}/self/ns/net`);
  let sockets: Map<string, string> | null = null;
  for (const pid of pids) {
    if (ours === null || link(`${proc}/${pid}/ns/net`) !== ours) continue;
    // One network has one table.
    sockets ??= listening(port, proc);
    if (sockets.size === 0) return null;
    for (const name of names(`${proc}/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(link(`${proc}/${pid}/fd/${name}`) ?? '')?.[1];
      const address = inode === undefined ? undefined : sockets.get(inode);
      if (address !== undefined) return address;
    }
  }
  return null;
}

/** By inode the loopback's address of each socket that listens at a port. */
function listening(port: number, proc: string): Map<string, string> {
  const found = new Map<string, string>();
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  for (const [table, loopback] of [
    ['tcp', '127.0.0.1'],
    ['tcp6', '::1'],
  ] as const) {
    for (const line of read(`${proc}/self/net/${table}`).split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const [address = '', at] = local.split(':');
      if (state !== LISTENS || at !== wanted || inode === undefined) continue;
      const where = ANY.test(address) ? loopback : LOOPBACK[address];
      if (where) found.set(inode, where);
    }
  }
  return found;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function link(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function names(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return []; // it has ended, or is another user's
  }
}
