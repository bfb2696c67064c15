import { UserError } from '../../base/errors.ts';
import { findProgram } from '../../sources/gpu/nvidia/nvidia-smi/index.ts';
import { findLibrary } from '../../sources/gpu/nvidia/nvml/index.ts';

/** How GPU memory is to be read: `auto` takes the library, else the program, else goes without. */
export const GPU_CHOICES = ['auto', 'nvml', 'nvidia-smi', 'off'] as const;
export type GpuChoice = (typeof GPU_CHOICES)[number];

export interface GpuPlan {
  readonly library: string | null;
  readonly program: string | null;
  /** Why there is nothing to try; null where there is. */
  readonly reason: string | null;
}

/** What to try, by looking at files only. What was asked for by name and is not there is refused. */
export function planGpu(choice: GpuChoice): GpuPlan {
  if (choice === 'off') return { library: null, program: null, reason: 'switched off (--gpu off)' };
  const library = choice === 'nvidia-smi' ? null : findLibrary();
  const program = choice === 'nvml' ? null : findProgram();
  const reasons = [library, program].flatMap((found) =>
    found && 'reason' in found ? found.reason : [],
  );
  const path = (found: typeof library) => (found && 'path' in found ? found.path : null);
  const plan = { library: path(library), program: path(program), reason: null };
  if (plan.library ?? plan.program) return plan;
  if (choice !== 'auto') {
    throw new UserError(`--gpu ${choice}: ${reasons.join('; ')}`, {
      hint: 'highwater doctor tells what can be measured here',
      exitCode: 125,
    });
  }
  return { ...plan, reason: reasons.join('; ') };
}
