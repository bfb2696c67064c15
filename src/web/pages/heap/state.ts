import type { InputsInfo } from '../../../model/inputs-info.ts';
import type { PageState } from '../../address.ts';

/** What of a heap is looked at. */
export type Show = 'partition' | 'holders' | 'paths' | 'difference';

/** Of several heaps that were given, what grew; of one, or of a recording with some, what it is made of. */
export function usualShow({ runs }: InputsInfo): Show {
  const heaps = runs.filter(
    ({ resources }) => resources.includes('heap') && !resources.includes('report'),
  );
  return heaps.length > 1 ? 'difference' : 'partition';
}

export const shownOf = (inputs: InputsInfo, { show }: PageState): Show =>
  (show as Show | undefined) ?? usualShow(inputs);
