// Node: buffers are garbage at once, but in so short a run the collector has no reason to come.
// truth: {"leak": false, "why": "a ring of sixteen buffers is all that can be reached"}
import { setTimeout as sleep } from 'node:timers/promises';

const ring = [];
for (let step = 0; step < 200; step++) {
  ring[step % 16] = Buffer.alloc(256 * 1024, step % 256);
  await sleep(30);
  console.log(`step ${step + 1}/200 loss ${(1 / (step + 1)).toFixed(4)}`);
}
