import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { resolveCommand } from '../run/command.ts';
import { behindLaunchers } from './exec-launchers.ts';

/** Whether a command is Node, which then may load an agent; `reason`: why it may not. */
export type NodeCommand = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const OLDEST = 18;
const NODE = /^(node|nodejs)(-?v?\d[\d.]*)?$/;
/** With these Node reads only named files, or runs nothing of its own: a file of ours would end the program. */
const CLOSED = /^--(experimental-)?(permission|policy|[\w-]*config-file)\b|^--[\w-]*snapshot\b/;

/**
 * Only the command itself is asked, behind launchers that leave the environment alone: what it starts may be any
 * other Node, or Electron, which a file of ours could harm. null: it is no Node.
 */
export function nodeCommand(argv: readonly string[], env: NodeJS.ProcessEnv): NodeCommand | null {
  const words = behindLaunchers(argv);
  const found = words && program(words[0] ?? '', env.PATH);
  if (!found) return null;
  const [file, ...flags] = found;
  const all = [...flags, ...words, ...(env.NODE_OPTIONS ?? '').split(/\s+/)];
  const closed = all.find((word) => CLOSED.test(word));
  if (closed)
    return { ok: false, reason: `Node was started with ${closed}, which leaves the agent out` };
  const major = majorVersion(file!);
  if (major >= OLDEST) return { ok: true };
  const reason = `its Node is ${major || 'of unknown version'}, and the agent needs ${OLDEST} or newer`;
  return { ok: false, reason };
}

/** The file of Node that runs a command, and flags that its first line gives it. */
function program(command: string, path: string | undefined): readonly string[] | null {
  try {
    const file = resolveCommand(command, path);
    if (NODE.test(basename(file))) return [file];
    const [name = '', ...rest] = interpreter(file);
    const words = basename(name) === 'env' ? rest.filter((word) => word !== '-S') : [name, ...rest];
    if (!NODE.test(basename(words[0] ?? ''))) return null;
    return [resolveCommand(words[0]!, path), ...words.slice(1)];
  } catch {
    return null;
  }
}

const FIRST_LINE = 256;

/** The words of a script's first line, `#!/usr/bin/env node`. */
function interpreter(file: string): string[] {
  const bytes = Buffer.alloc(FIRST_LINE);
  const fd = openSync(file, 'r');
  try {
    const [line = ''] = bytes.toString('latin1', 0, readSync(fd, bytes)).split('\n', 1);
    return line.startsWith('#!') ? line.slice(2).trim().split(/\s+/) : [];
  } finally {
    closeSync(fd);
  }
}

const VERSION_MS = 2000;

/** 0 where it does not tell. Our own is known; another is asked, which takes it some 40 ms. */
function majorVersion(file: string): number {
  if (realpathSync(file) === realpathSync(process.execPath))
    return parseInt(process.versions.node, 10);
  const env = { ...process.env, NODE_OPTIONS: '' };
  const asked = { env, timeout: VERSION_MS, encoding: 'utf8' } as const;
  const { stdout } = spawnSync(file, ['--version'], {
    ...asked,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}
