import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { errnoCode } from '../../base/errors.ts';

/** As `AgentSocket` names the folder of its socket. */
const FOLDER = /^hw-\w{6}$/;
/** A recorder that is just starting has a folder, but does not listen yet. */
const YOUNG_MS = 60_000;
const MOST = 100;

/**
 * Removes what recorders left behind that were killed. A recorder lives if it listens, also one whose process this
 * view of the machine does not show. Folders of others, links and what has anything else in it are left alone.
 */
export async function sweepDeadSockets(folder: string, now = Date.now()): Promise<void> {
  try {
    const names = readdirSync(folder).filter((name) => FOLDER.test(name));
    for (const name of names.slice(0, MOST)) await sweep(join(folder, name), now);
  } catch {
    // Somebody else's to tidy up.
  }
}

async function sweep(folder: string, now: number): Promise<void> {
  try {
    const stat = lstatSync(folder);
    const ours = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o77) === 0;
    if (!ours || now - stat.mtimeMs < YOUNG_MS) return;
    const socket = join(folder, 's');
    const there = lstatSync(socket, { throwIfNoEntry: false });
    if (there && (!there.isSocket() || (await listens(socket)))) return;
    if (there) unlinkSync(socket);
    rmdirSync(folder);
  } catch {
    // It went meanwhile, or has something else in it.
  }
}

function listens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(path);
    connection.unref();
    connection.once('connect', () => resolve(true));
    connection.once('error', (error) => resolve(errnoCode(error) !== 'ECONNREFUSED'));
    connection.once('close', () => resolve(true));
    connection.once('connect', () => connection.destroy());
  });
}
