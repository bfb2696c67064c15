import { parentPort } from 'node:worker_threads';
import { replay } from '../analyses/allocations/replay/replay.ts';
import type { Requests } from '../analyses/allocations/replay/requests.ts';
import { findSmallest } from '../analyses/allocations/what-if/smallest.ts';
import type { FromReplayThread, ToReplayThread } from './replay-messages.ts';

// One program's replays, so that the thread that answers is free meanwhile.
const port = parentPort!;
let program: Requests;
const say = (message: FromReplayThread) => port.postMessage(message);
port.on('message', (asked: ToReplayThread) => {
  if (asked.type === 'program') {
    program = asked.requests;
    return;
  }
  if (asked.type === 'replay') {
    const replayed = replay(program, asked.options, (eventsDone) =>
      say({ type: 'replaying', eventsDone }),
    );
    return say({ type: 'replayed', replayed });
  }
  const { smallest } = findSmallest(program, asked.search, (progress) =>
    say({ type: 'searching', progress }),
  );
  say({ type: 'found', smallest });
});
