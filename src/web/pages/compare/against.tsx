import { filled, type Verdict } from '../../../model/verdict.ts';

/** What limits an answer: one run each does not tell how far runs of the same lie apart. */
export function Against({ verdict }: { readonly verdict: Verdict }) {
  return (
    <>
      {verdict.against
        // Notes stand below the table of runs.
        .filter(({ at }) => !at.startsWith('/notes/'))
        .map(({ statement }) => (
          <p key={statement} class="muted" data-test="compare-against">
            But: {filled(verdict, statement)}.
          </p>
        ))}
    </>
  );
}
