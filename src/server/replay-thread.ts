import { parentPort, workerData } from 'node:worker_threads';
import { replay } from '../analyses/allocations/replay/replay.ts';
import type { ReplayOptions } from '../analyses/allocations/replay/replayed.ts';
import type { Requests } from '../analyses/allocations/replay/requests.ts';

// One program's replays, so that the thread that answers is free meanwhile.
const port = parentPort!;
port.on('message', (options: ReplayOptions) =>
  port.postMessage(replay(workerData as Requests, options)),
);
