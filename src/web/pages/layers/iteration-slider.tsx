import type { IterationMoment } from '../../../analyses/layers/index.ts';
import { whenWords } from '../../../views/report/layers.ts';

interface Props {
  readonly when: readonly IterationMoment[];
  readonly at: number;
  readonly highest: number;
  go(at: number): void;
  step(by: number): void;
}

/** Chooses the iteration that all figures are of. */
export function IterationSlider({ when, at, highest, go, step }: Props) {
  const last = when.length - 1;
  return (
    <fieldset class="plain row" aria-label="Iteration">
      <button
        type="button"
        aria-label="Previous iteration"
        disabled={at === 0}
        onClick={() => step(-1)}
      >
        ←
      </button>
      <input
        type="range"
        aria-label="Iteration"
        aria-valuetext={whenWords(when[at]!)}
        min={0}
        max={last}
        value={at}
        onInput={(event) => go(Number(event.currentTarget.value))}
      />
      <button
        type="button"
        aria-label="Next iteration"
        disabled={at === last}
        onClick={() => step(1)}
      >
        →
      </button>
      <button type="button" disabled={at === highest} onClick={() => go(highest)}>
        Highest
      </button>
    </fieldset>
  );
}
