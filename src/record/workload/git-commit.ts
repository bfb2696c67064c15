import { closeSync, fstatSync, readSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { openRegular } from '../../model/disk/regular-files.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a build's own variables say which commit it is of. */
const VARIABLES = ['GITHUB_SHA', 'CI_COMMIT_SHA', 'GIT_COMMIT', 'BUILDKITE_COMMIT'];
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
/** More than a head or a list of all names of a large repository has. */
const MOST_BYTES = 4 * 2 ** 20;

/**
 * The commit of the working copy that a command runs in, as its files say it: no git is started. What was changed since is not
 * known. Where it runs in none, what the build says. null: neither tells.
 */
export function gitCommit(cwd: string, env: Env): string | null {
  return ofWorkingCopy(cwd) ?? ofBuild(env);
}

const ofBuild = (env: Env): string | null =>
  VARIABLES.map((name) => env[name]?.toLowerCase() ?? '').find((id) => COMMIT.test(id)) ?? null;

function ofWorkingCopy(cwd: string): string | null {
  const folder = gitFolder(cwd);
  const head = folder && textOf(join(folder, 'HEAD'))?.trim();
  if (!folder || !head) return null;
  if (COMMIT.test(head)) return head;
  const ref = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  if (!ref || ref.split('/').includes('..')) return null;
  // A worktree has a head of its own, and its branches where the repository is.
  const common = textOf(join(folder, 'commondir'))?.trim();
  const places = common ? [folder, resolve(folder, common)] : [folder];
  for (const place of places) {
    const id = textOf(join(place, ref))?.trim() ?? packed(place, ref);
    if (id && COMMIT.test(id)) return id;
  }
  return null;
}

function packed(folder: string, ref: string): string | undefined {
  const lines = textOf(join(folder, 'packed-refs'))?.split('\n') ?? [];
  return lines.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0];
}

/** `.git` is a folder, or a file that says where it is. */
function gitFolder(cwd: string): string | null {
  for (let at = resolve(cwd); ; at = dirname(at)) {
    const own = join(at, '.git');
    if (textOf(join(own, 'HEAD')) !== null) return own;
    const other = /^gitdir: (.+)$/m.exec(textOf(own) ?? '')?.[1];
    if (other) return resolve(at, other);
    if (at === dirname(at)) return null;
  }
}

/** null where it cannot be read, whatever the reason. */
function textOf(path: string): string | null {
  let fd: number;
  try {
    fd = openRegular(path);
  } catch {
    return null;
  }
  try {
    const bytes = Buffer.allocUnsafe(Math.min(MOST_BYTES, Math.max(1, fstatSync(fd).size)));
    return bytes.toString('utf8', 0, readSync(fd, bytes));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
