import { existsSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PUSH_VARIABLE } from '../../metrics/send/credentials.ts';
import type { SessionOptions } from '../run/options.ts';
import type { RunFile } from '../run/run-file.ts';
import { nodeCommand } from './node-command.ts';

/** Python runs the sitecustomize.py of this folder at its start, when it is first on PYTHONPATH. */
const FOLDER = join('python', 'highwater', '_inject');

/** What a workload finds in its environment: whose it is, where agents speak, and what they are asked to do. */
export function workloadEnvironment(
  options: SessionOptions,
  runFile: RunFile,
  socket: string | null,
): NodeJS.ProcessEnv {
  const env = { ...withoutPush(process.env), HIGHWATER_RUN: runFile.run.id };
  if (socket === null) return env;
  // A heap is asked of any Python program, not only of those that import a framework.
  const always = options.heaps ? { HIGHWATER_AGENT_ALWAYS: '1' } : {};
  const spoken = { ...env, HIGHWATER_SOCKET: socket, ...always, ...nodeHeaps(options, env) };
  if (options.agent === 'off') return spoken;
  const inPython = injected({ ...spoken, ...taskVariables(options, runFile.folder) });
  return options.heaps ? inPython : { ...inPython, ...nodeAgent(options.argv, inPython) };
}

/** Where metrics go, and by which right, is nothing that a workload needs to know. */
const withoutPush = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !PUSH_VARIABLE.test(name)));

/** Where the command itself is Node, it loads a few lines of ours that tell what V8 holds. First, as they take themselves out again. */
function nodeAgent(argv: readonly string[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const file = packageFile('node-agent.cjs');
  return file !== null && nodeCommand(argv, env)?.ok ? requiring(file, env) : {};
}

const requiring = (file: string, { NODE_OPTIONS = '' }: NodeJS.ProcessEnv) => ({
  NODE_OPTIONS: `--require=${JSON.stringify(file)} ${NODE_OPTIONS}`.trimEnd(),
});

/** Where heaps are wanted, Node programs load a few lines of ours that can be asked for one. */
function nodeHeaps({ heaps }: SessionOptions, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const file = heaps ? nodeHeapAgent() : null;
  return file === null ? {} : requiring(file, env);
}

export const nodeHeapAgent = (): string | null => packageFile('node-heap.cjs');

/** In the package that the Python agent is in too; null: there is none, as nobody has built it. */
function packageFile(name: string, folder = injectionFolder()): string | null {
  const file = folder === null ? null : join(folder, '..', '..', '..', 'dist', name);
  return file !== null && existsSync(file) ? file : null;
}

function taskVariables(options: SessionOptions, folder: string): Record<string, string> {
  const { agent, layers = false, gpuLimit = null, sizes = null } = options;
  return {
    HIGHWATER_SNAPSHOTS: resolve(folder),
    ...(agent === 'stacks' && { HIGHWATER_STACKS: '1' }),
    ...(layers && { HIGHWATER_LAYERS: '1' }),
    ...(gpuLimit !== null && { HIGHWATER_GPU_LIMIT: String(gpuLimit) }),
    ...(sizes !== null && { HIGHWATER_SIZES: sizes }),
  };
}

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
