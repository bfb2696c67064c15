import { readlinkSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { readStat, readText } from '../proc.ts';

/** SIGUSR1 is the tenth signal; masks in /proc count from bit 0. */
const SIGUSR1_BIT = 1n << 9n;
const DEFAULT_PORT = 9229;

export interface NodeTarget {
  readonly pid: number;
  readonly startTime: number;
  /** Where its inspector will listen. */
  readonly port: number;
  /** Whether it catches the signal that opens the inspector. Without that the signal would end it. */
  readonly catchesSignal: boolean;
}

export type Language = 'node' | 'python' | null;

/** What a process runs, by its program file, which a name in argv cannot fake. */
export function languageOf(pid: number, proc = '/proc'): Language {
  const file = programOf(pid, proc);
  if (file === null) return null;
  const name = basename(file).replace(/ \(deleted\)$/, '');
  if (/^(node|nodejs)(-?v?\d[\d.]*)?$/.test(name)) return 'node';
  if (/^python[\d.]*t?$/.test(name)) return 'python';
  return null;
}

export function programOf(pid: number, proc = '/proc'): string | null {
  try {
    return readlinkSync(`${proc}/${pid}/exe`);
  } catch {
    return null;
  }
}

/** All that can be known of a Node process without touching it; throws where it cannot answer. */
export function nodeTarget(pid: number, proc = '/proc'): NodeTarget {
  const stat = readStat(proc, pid);
  if (!stat || stat.state === 'Z') throw new UserError(`there is no process ${pid}`);
  const program = programOf(pid, proc);
  if (program === null) {
    throw new UserError(`process ${pid} cannot be looked at`, {
      hint: isOwn(pid, proc)
        ? 'the system does not let you trace it; in a container that needs --cap-add=SYS_PTRACE'
        : 'it belongs to another user',
    });
  }
  if (languageOf(pid, proc) !== 'node') {
    throw new UserError(`process ${pid} runs ${basename(program)}, which is not Node`, {
      hint: 'nothing was sent to it',
    });
  }
  if (!sameNetwork(pid, proc)) {
    throw new UserError(`process ${pid} lives in another network namespace`, {
      hint: 'run highwater inside its container',
    });
  }
  const words = (readText(`${proc}/${pid}/cmdline`) ?? '').split('\0');
  const options = environment(pid, proc, 'NODE_OPTIONS').split(/\s+/);
  const flags = [...options, ...words.slice(1)];
  const catchesSignal = catches(pid, proc) && !flags.includes('--disable-sigusr1');
  return { pid, startTime: stat.startTime, port: portIn(flags), catchesSignal };
}

function isOwn(pid: number, proc: string): boolean {
  try {
    return statSync(`${proc}/${pid}`).uid === process.getuid?.();
  } catch {
    return false;
  }
}

function catches(pid: number, proc: string): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readText(`${proc}/${pid}/status`) ?? '')?.[1];
  return mask !== undefined && (BigInt(`0x${mask}`) & SIGUSR1_BIT) !== 0n;
}

/** Our own is none of another's: a container has ports of its own. */
function sameNetwork(pid: number, proc: string): boolean {
  const space = (of: string) => {
    try {
      return readlinkSync(`${proc}/${of}/ns/net`);
    } catch {
      return '';
    }
  };
  return space(String(pid)) === space('self');
}

function environment(pid: number, proc: string, name: string): string {
  const all = (readText(`${proc}/${pid}/environ`) ?? '').split('\0');
  return all.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

/** The last flag that names a port counts. */
function portIn(flags: readonly string[]): number {
  let port = DEFAULT_PORT;
  for (const flag of flags) {
    const match =
      /^--(?:inspect|inspect-brk|inspect-wait|inspect-port|debug-port)=(?:.*:)?(\d+)$/.exec(flag);
    if (match) port = Number(match[1]);
  }
  return port;
}
