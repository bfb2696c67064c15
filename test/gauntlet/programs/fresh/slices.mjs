// Of each message its first 64 bytes are kept: a slice, for which the whole message stays, or a copy of the last thousand.
// truth: {"leak": true, "args": ["slices"], "culprit": "main|node", "slope": [64000, 90000], "per": "iteration", "why": "four messages of 16 KiB in each step"}
// truth: {"leak": false, "args": ["copies"]}
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , mode] = process.argv;
const STEPS = 450;
const heads = [];

function receive(step, index) {
  const message = Buffer.allocUnsafeSlow(16 * 1024).fill(step + index);
  message.write(`POST /items/${step}-${index}`);
  const digest = createHash('sha1').update(message).digest('hex');
  heads.push(mode === 'slices' ? message.subarray(0, 64) : Buffer.from(message.subarray(0, 64)));
  if (mode === 'copies' && heads.length > 1000) heads.shift();
  return digest;
}

const began = performance.now();
for (let step = 1; step <= STEPS; step++) {
  let digest = '';
  for (let index = 0; index < 4; index++) digest = receive(step, index);
  console.log(`step ${step}/${STEPS} digest ${digest.slice(0, 8)}`);
  await sleep(Math.max(0, began + step * 100 - performance.now()));
}
