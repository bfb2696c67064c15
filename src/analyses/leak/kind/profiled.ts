import { growth } from '../../../model/layers/growth.ts';
import { histories } from '../../../model/layers/history.ts';
import { isLive } from '../../../model/layers/kinds.ts';
import type { Recording } from '../../../model/recording.ts';
import { bytes, figures } from './evidence.ts';
import type { Members } from './readings.ts';
import { held, type KindRule, MOST } from './rule.ts';

/** A part of a model that grows with the iterations, as a profiler of its layers saw it. */
export interface PartGrowth {
  /** `kept tensors of conv1`. */
  readonly name: string;
  readonly bytesPerIteration: number;
}

const MOST_SHOWN = 3;

export function partGrowth(recording: Recording, members: Members): PartGrowth[] {
  return histories(recording)
    .filter(({ pid }) => members === null || members.has(pid))
    .flatMap(({ parts, iterations }) =>
      parts
        .filter(({ kind }) => isLive(kind))
        .flatMap(({ name, kind, changes }) => {
          const grown = growth(changes, iterations.length);
          if (!grown) return [];
          const what = kind === 'kept' ? 'kept tensors' : kind.replaceAll('_', ' ');
          const { bytesPerIteration } = grown;
          return [{ name: name ? `${what} of ${name}` : what, bytesPerIteration }];
        }),
    )
    .sort((a, b) => b.bytesPerIteration - a.bytesPerIteration);
}

/** What the profiler of a model's layers saw pile up: it knows each tensor, and where it was made. */
export const profiled: KindRule = {
  kind: 'tensors',
  find(clues) {
    const { parts, per, device } = clues;
    const all = parts.reduce((sum, { bytesPerIteration }) => sum + bytesPerIteration, 0);
    if (per !== 'iteration' || device !== null || all < MOST * held(clues)) return null;
    const shown = parts.slice(0, MOST_SHOWN);
    return {
      evidence: [
        ...shown.map((one) => bytes(one.name, one.bytesPerIteration, per)),
        ...figures(clues),
      ],
      advice: [
        'they outlive the iteration that makes them: look for a list or a variable that keeps them',
        'TensorFlow.js frees a tensor when dispose() is called, or at the end of the tf.tidy() that made it; torch, when nothing refers to it: keep .detach() of what is needed',
      ],
    };
  },
};
