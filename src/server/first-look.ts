import { ending } from '../analyses/ending.ts';
import { ranks } from '../analyses/ranks/index.ts';
import type { InputInfo } from '../model/inputs-info.ts';
import type { Recording } from '../model/recording.ts';

/** What decides which page opens first, told before anything is asked: cheap, as it is looked for whenever a run has grown. */
export function firstLook(recording: Recording): Pick<InputInfo, 'died' | 'outlier'> {
  const { how, oomKilled, oomMessages } = ending(recording);
  return {
    died: how === 'failed' || how === 'killed' || oomKilled === true || oomMessages.length > 0,
    outlier: ranks(recording).outlier?.rank ?? null,
  };
}
