import { replay } from '../../analyses/allocations/replay/replay.ts';
import type { Requests } from '../../analyses/allocations/replay/requests.ts';
import { findSmallest } from '../../analyses/allocations/what-if/smallest.ts';
import type { FromReplayThread, ToReplayThread } from './messages.ts';

/** What a thread of replays does with each message, so that the one that answers is free meanwhile. */
export function replayAnswers(say: (message: FromReplayThread) => void) {
  let program: Requests;
  return (asked: ToReplayThread): void => {
    if (asked.type === 'program') {
      program = asked.requests;
      return;
    }
    if (asked.type === 'replay') {
      const replayed = replay(program, asked.options, (eventsDone) =>
        say({ type: 'replaying', eventsDone }),
      );
      say({ type: 'replayed', replayed });
      return;
    }
    const { smallest } = findSmallest(program, asked.search, (progress) =>
      say({ type: 'searching', progress }),
    );
    say({ type: 'found', smallest });
  };
}
