import type { KeptTensors } from '../../allocations/failure/facts.ts';
import type { TensorHolder } from '../../allocations/failure/holders.ts';

/** Fewer tensors of a kind are a step's own. */
const FEWEST = 4;
/** A kind that is this much of what is kept is what is kept. */
const MUCH = 0.1;
/** The same of what a running function holds: less is what the pass that failed has at the moment. */
const MUCH_OF_RUNNING = 0.5;

/** Which of the holders keeps what grows: the one of most bytes, or of most graphs, as a loss of four bytes keeps its step's. */
export function keeperOf(
  kept: KeptTensors,
  holders: readonly TensorHolder[],
): { readonly index: number; readonly keeper: TensorHolder } | null {
  const named = [...holders.entries()].filter(
    ([, { holder, count }]) => holder !== '' && count >= FEWEST,
  );
  const large = named.filter(([, { holder, bytes }]) => {
    const much = keepingOf(holder) === 'local' ? MUCH_OF_RUNNING : MUCH;
    return bytes >= much * kept.bytes;
  });
  const graphs = named
    .filter(([, { what }]) => what !== '')
    .sort((a, b) => b[1].count - a[1].count);
  const [found] = [...large, ...graphs];
  return found ? { index: found[0], keeper: found[1] } : null;
}

/** `keyed`: under a key or a name, as in a dict. `local`: a variable of a function that was running. */
export type Keeping = 'keyed' | 'local' | 'other';

const CONTAINER = /^\w+ of \d+$/;

/** How something is held, by the words that the agent has for holders: `list of 46 in predictions in predict() at x.py:12`. */
export function keepingOf(holder: string): Keeping {
  const words = holder.replace(/ at \S+:\d+$/, '').split(' in ');
  if (words.at(-1)!.endsWith('()')) return 'local';
  // Between the value and the name of what holds all of it.
  const between = words.slice(0, -1);
  return between.some((word) => !CONTAINER.test(word)) ? 'keyed' : 'other';
}
