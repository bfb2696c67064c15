// Node: a listener for each request, which holds its body and what stood beside it (closures of one scope share it); removed when it is done, or not.
// truth: {"leak": true, "args": ["stay"], "culprit": "main|node", "slope": [385000, 420000], "per": "iteration"}
// truth: {"leak": false, "args": ["removed"]}
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const bus = new EventEmitter();
bus.setMaxListeners(0);
const STEPS = 1000;
for (let step = 0; step < STEPS; step++) {
  const body = Buffer.alloc(128 * 1024, step % 256);
  const junk = Buffer.alloc(256 * 1024, 1);
  const listener = () => body.length + junk[0];
  bus.once('shutdown', process.argv[2] === 'stay' ? () => body.length : listener);
  if (process.argv[2] !== 'stay') bus.off('shutdown', listener);
  await sleep(8);
  if (step % 4 === 3) console.log(`step ${step + 1}/${STEPS} loss ${(1 / (step + 1)).toFixed(4)}`);
}
