import type { Fit } from '../../../analyses/fit/index.ts';
import type { Sweep } from '../../../analyses/sweep/index.ts';
import { shellJoin } from '../../../base/text.ts';
import { sweepRemarks, sweepSentence } from '../../../views/sweep/sweep.ts';
import type { PageProps } from '../page.ts';
import { SweepTable } from './sweep-table.tsx';

export type FittedSweep = Sweep & { readonly fit: Fit | null };

/** A sweep: its answer and its table. */
export function SweepHead({ sweep, ...props }: PageProps & { sweep: FittedSweep }) {
  return (
    <section>
      <p class="headline" data-test="sweep-headline">
        {sweepSentence(sweep)}
      </p>
      <p class="muted name">{shellJoin(sweep.command)}</p>
      <SweepTable {...props} sweep={sweep} />
      <ul class="notes">
        {sweepRemarks(sweep).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
}
