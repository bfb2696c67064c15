import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Whether programs are looked at from inside, where they are such as can be; `stacks`: with the
 * Python stack of every CUDA allocation, which costs more than a default may.
 */
export const AGENT_CHOICES = ['auto', 'stacks', 'off'] as const;
export type AgentChoice = (typeof AGENT_CHOICES)[number];

/** Python runs the sitecustomize.py of this folder at its start, when it is first on PYTHONPATH. */
const FOLDER = join('python', 'highwater', '_inject');

/** A workload's environment with our way in; as it was where there is none. */
export function injected(env: NodeJS.ProcessEnv, folder = injectionFolder()): NodeJS.ProcessEnv {
  // A colon ends a folder's name on PYTHONPATH, and nothing can be done about that.
  if (folder === null || folder.includes(delimiter)) return env;
  const own = env.PYTHONPATH;
  const path = own ? `${folder}${delimiter}${own}` : folder;
  return { ...env, PYTHONPATH: path, ...nodeImport(env, folder) };
}

/** Where sizes are asked for, Node programs load our package, which then tells them (sdk/sizes/scheduled-sizes.ts). */
function nodeImport(env: NodeJS.ProcessEnv, folder: string): NodeJS.ProcessEnv {
  const entry = join(folder, '..', '..', '..', 'dist', 'index.js');
  if (!env.HIGHWATER_SIZES || !existsSync(entry)) return {};
  const words = [env.NODE_OPTIONS, `--import=${pathToFileURL(entry)}`].filter(Boolean);
  return { NODE_OPTIONS: words.join(' ') };
}

/** Beside dist/ in a package, above src/ in a checkout. */
export function injectionFolder(): string | null {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, FOLDER, 'sitecustomize.py'))) return join(at, FOLDER);
    if (dirname(at) === at) return null;
  }
}

/** Flags with a word of their own, which must not be taken for flags. */
const TAKES_WORD = /^-\w*[WX]$/;

/** Why a command lets no agent in, where its own words say so; null: it may. */
export function shutOut(argv: readonly string[]): string | null {
  if (!/^python[\d.]*$/.test(basename(argv[0] ?? ''))) return null;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at]!;
    if (!/^-[a-zA-Z]/.test(word)) return null;
    // What follows -c and -m is the program's own.
    const flags = /^-[^cmWX]*/.exec(word)![0];
    const letter = /[IES]/.exec(flags)?.[0];
    if (letter) return `Python was started with -${letter}, which leaves the agent out`;
    if (flags !== word && !/^-\w*[WX]/.test(word)) return null;
    if (TAKES_WORD.test(word)) at++;
  }
  return null;
}
