import { resolve } from 'node:path';
import { injected } from '../agents/injection.ts';
import type { SessionOptions } from '../run/options.ts';
import type { RunFile } from '../run/run-file.ts';

/** What a workload finds in its environment: whose it is, where agents speak, and what they are asked to do. */
export function workloadEnvironment(
  options: SessionOptions,
  runFile: RunFile,
  socket: string | null,
): NodeJS.ProcessEnv {
  const env = { ...process.env, HIGHWATER_RUN: runFile.run.id };
  if (socket === null) return env;
  // A heap is asked of any Python program, not only of those that import a framework.
  const always = options.heaps ? { HIGHWATER_AGENT_ALWAYS: '1' } : {};
  const spoken = { ...env, HIGHWATER_SOCKET: socket, ...always };
  if (options.agent === 'off') return spoken;
  return injected({ ...spoken, ...taskVariables(options, runFile.folder) });
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
