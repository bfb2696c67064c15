import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { orUserError } from '../../model/disk/files.ts';
import { redactedCopy } from '../../open/redacted-copy.ts';
import { tell } from './terminal.ts';

export const ownHosts = (): string[] => [hostname(), hostname().split('.')[0]!];

/** Does something with a copy of an input to give away, which is gone afterwards; `beside`: where there is room. */
export async function withRedactedCopy<T>(
  path: string,
  beside: string,
  heaps: readonly string[] | undefined,
  work: (copy: string) => T | Promise<T>,
): Promise<T> {
  const folder = orUserError(beside, () => mkdtempSync(`${beside}.redacted-`), 'write');
  try {
    const copy = await redactedCopy(path, folder, {
      users: ownUsers(),
      hosts: ownHosts(),
      ...(heaps && { heaps }),
      onLeftOut: (what) => tell(`highwater: ${what}\n`),
    });
    return await work(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A user id without a name, as in many containers, is no failure. */
export function ownUsers(): string[] {
  const { USER, LOGNAME, SUDO_USER } = process.env;
  const fromEnvironment = [USER, LOGNAME, SUDO_USER].filter((name) => name !== undefined);
  try {
    return [userInfo().username, ...fromEnvironment];
  } catch {
    return fromEnvironment;
  }
}
