import { describeError, UserError } from '../../base/errors.ts';
import type { GpuBackend } from '../../sources/gpu/backend.ts';
import { GPU_BACKENDS } from '../../sources/gpu/index.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import type { GpuCandidate } from './gpu-messages.ts';

/** How GPU memory is to be read: `auto` takes the first backend that answers, or else goes without. */
export type GpuChoice = 'auto' | (typeof GPU_BACKENDS)[number]['id'] | 'off';
export const GPU_CHOICES: readonly GpuChoice[] = [
  'auto',
  ...GPU_BACKENDS.map(({ id }) => id),
  'off',
];

const MEANS = GPU_BACKENDS.map(({ means }) => `by ${means}`);
/** What the flag's help says. */
export const GPU_HELP = `GPU memory ${[MEANS.slice(0, -1).join(', '), ...MEANS.slice(-1)].join(' or ')}`;

export interface GpuPlan {
  readonly candidates: readonly GpuCandidate[];
  /** Why there is nothing to try; null where there is. */
  readonly reason: string | null;
}

/** What to try, by looking at files only. What was asked for by name and is not there is refused. */
export function planGpu(choice: string, backends: readonly GpuBackend[] = GPU_BACKENDS): GpuPlan {
  if (choice === 'off') return { candidates: [], reason: 'switched off (--gpu off)' };
  const candidates: GpuCandidate[] = [];
  const reasons: string[] = [];
  for (const backend of backends) {
    if (choice !== 'auto' && choice !== backend.id) continue;
    const located = backend.locate(THIS_MACHINE);
    if ('path' in located) candidates.push({ backend: backend.id, path: located.path });
    else reasons.push(located.reason);
  }
  if (candidates.length > 0) return { candidates, reason: null };
  if (choice !== 'auto') {
    throw new UserError(`--gpu ${choice}: ${reasons.join('; ')}`, {
      hint: 'highwater doctor tells what can be measured here',
      exitCode: 125,
    });
  }
  return { candidates, reason: reasons.join('; ') };
}

/** The same; not `strict`, what is not there is done without. */
export function planGpuOrNone(
  choice: string,
  strict: boolean,
  say: (line: string) => void,
): GpuPlan {
  try {
    return planGpu(choice);
  } catch (error) {
    if (strict) throw error;
    const reason = describeError(error);
    say(`highwater: ${reason}; recorded without GPU memory`);
    return { candidates: [], reason };
  }
}
