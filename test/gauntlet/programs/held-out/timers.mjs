// Node: an interval for each client, cleared when it leaves, or never.
// truth: {"leak": true, "args": ["never"], "culprit": "main|node", "slope": [98000, 160000], "per": "iteration"}
// truth: {"leak": false, "args": ["cleared"]}
import { setTimeout as sleep } from 'node:timers/promises';

const STEPS = 900;
for (let step = 0; step < STEPS; step++) {
  const state = Buffer.alloc(100_000, step % 256);
  const more = Buffer.alloc(300_000, 1);
  const interval = setInterval(() => state[0], 1000 + more[0]);
  if (process.argv[2] === 'cleared') clearInterval(interval);
  await sleep(8);
  if (step % 3 === 2) console.log(`step ${step + 1}/${STEPS} loss ${(1 / (step + 1)).toFixed(4)}`);
}
process.exit(0);
