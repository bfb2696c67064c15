// Node: buffers that a list keeps, or a ring of sixteen that is written over; the collector runs many times.
// truth: {"leak": true, "args": ["kept"], "culprit": "main|node", "slope": [65000, 75000], "per": "iteration", "quick": true}
// truth: {"leak": false, "args": ["ring"], "quick": true}
import { setTimeout as sleep } from 'node:timers/promises';

const kept = [];
const STEPS = 1500;
for (let step = 0; step < STEPS; step++) {
  const batch = Buffer.alloc(512 * 1024, step % 256);
  const sample = Buffer.from(batch.subarray(0, 64 * 1024));
  if (process.argv[2] === 'kept') kept.push(sample);
  else kept[step % 16] = sample;
  await sleep(5);
  if (step % 5 === 4) console.log(`step ${step + 1}/${STEPS} loss ${(1 / (step + 1)).toFixed(4)}`);
}
