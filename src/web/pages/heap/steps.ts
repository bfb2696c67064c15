import type { PageState, StatePatch } from '../../address.ts';

/** The walk in the address: `kind:3/referrers`. */
export const stepsOf = ({ at = '' }: PageState): string[] => at.split('/').filter(Boolean);

/** One step on; what was sorted or left out before has no meaning there. */
export const stepTo = (state: PageState, step: string): StatePatch => ({
  at: [...stepsOf(state), step].join('/'),
  sort: null,
  filter: null,
  rows: null,
});
