import type { Engine, Tensor } from '../tags/tfjs.ts';

interface Gradients {
  readonly grads: readonly (Tensor | null | undefined)[];
}
type Differentiate = (f: unknown, xs: readonly Tensor[], ...rest: unknown[]) => Gradients;

/** Hears of the gradients that every optimizer is handed, however it asks for them. */
export function watchGradients(
  engine: Engine,
  onGradient: (variable: Tensor, gradient: Tensor | null) => void,
): () => void {
  const own = engine as unknown as { gradients: Differentiate };
  const { gradients } = own;
  let ended = false;
  const watched: Differentiate = function (this: unknown, f, xs, ...rest) {
    const result = gradients.call(this, f, xs, ...rest);
    if (!ended) for (const [i, x] of xs.entries()) onGradient(x, result.grads[i] ?? null);
    return result;
  };
  own.gradients = watched;
  return () => {
    ended = true;
    // Another profiler may have come after this one: its hook stays, with this one silent inside.
    if (own.gradients === watched) delete (own as Partial<typeof own>).gradients;
  };
}
