import { kindName, type MemoryKind } from '../memory-kinds.ts';

/** A moment of a training in words, to go after what happened then; empty where it is not known. */
export function momentWords(
  {
    phase,
    step,
  }: {
    readonly phase: 'setup' | 'between' | 'forward' | 'backward' | 'optimizer' | null;
    readonly step: number | null;
  },
  does: 'trains' | 'serves' | 'unknown' = 'unknown',
): string {
  // A program that serves takes no steps.
  if (does === 'serves') return servingWords(phase);
  const of = step === null ? '' : ` of step ${step}`;
  switch (phase) {
    case 'forward':
      return ` in the forward pass${of}`;
    case 'backward':
      return ` in the backward pass${of}`;
    case 'optimizer':
      return ` in the optimizer step${of}`;
    case 'setup':
      return ' before the first step';
    case 'between':
      return step === null ? '' : ` in step ${step}, between the passes`;
    case null:
      return '';
  }
}

const servingWords = (phase: string | null) =>
  phase === 'forward' ? ' in a forward pass' : phase === 'between' ? ' between forward passes' : '';

/** What allocations are, as a heading has it. */
export const categoryPlural = (category: MemoryKind): string => kindName(category);
