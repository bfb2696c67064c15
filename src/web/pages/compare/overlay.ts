import type { Columns } from '../../../model/columns.ts';
import type { OverlaidRuns } from '../../../model/overlaid-runs.ts';
import type { PageState } from '../../address.ts';
import { type Fetched, useResource } from '../../parts/resource.ts';
import { isOneFile } from '../../store.ts';

export type Overlay = Fetched<Columns<OverlaidRuns>>;

/** The curves that the address asks for; a stretch of them is asked for anew, in all its detail. */
export function useOverlay(state: PageState): Overlay {
  const { series, align, absolute } = state;
  // A one-file report has the whole length only.
  const range = isOneFile ? {} : { from: state.from, to: state.to };
  return useResource('job/overlay', { series, align, absolute, ...range });
}
