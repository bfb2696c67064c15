import { bytes, figures } from './evidence.ts';
import { whereOf } from './place.ts';
import { growthInUse, type KindRule, MAIN_CAUSE } from './rule.ts';

const MOST_SHOWN = 3;

/** Tensors that accumulate by the layer profiler's figures: it knows each tensor, and where it was made. */
export const profiledLayers: KindRule = {
  kind: 'tensors',
  find(breakdown) {
    const { parts, per, device } = breakdown;
    const all = parts.reduce((sum, { bytesPerIteration }) => sum + bytesPerIteration, 0);
    if (per !== 'iteration' || device !== null || all < MAIN_CAUSE * growthInUse(breakdown))
      return null;
    const shown = parts.slice(0, MOST_SHOWN);
    return {
      name: shown[0]?.name ?? null,
      where: whereOf(shown[0]?.name),
      evidence: [
        ...shown.map((one) => bytes(one.name, one.bytesPerIteration, per)),
        ...figures(breakdown),
      ],
      advice: [
        'they outlive the iteration that makes them: look for a list or a variable that keeps them',
        'TensorFlow.js frees a tensor when dispose() is called, or at the end of the tf.tidy() that made it; torch, when nothing refers to it: keep .detach() of what is needed',
      ],
    };
  },
};
