// Each request listens to the service's one signal for shutting down; the listener stays, or goes with its request.
// truth: {"leak": true, "args": ["stays"], "culprit": "main|node", "slope": [690000, 1300000], "per": "second", "why": "sixty requests a second, whose listener holds a body of 12 kB; V8 lets garbage grow with what stays"}
// truth: {"leak": false, "args": ["goes"]}
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , mode] = process.argv;
const shutdown = new AbortController();
setMaxListeners(0, shutdown.signal);
const log = (msg, more) =>
  console.log(JSON.stringify({ level: 30, time: Date.now(), msg, ...more }));

async function handle(reqId) {
  const body = randomBytes(6000).toString('hex');
  const stop = () => log('interrupted', { reqId, length: body.length });
  shutdown.signal.addEventListener('abort', stop);
  const words = body.match(/[a-f]+/g).map((word) => word.toUpperCase());
  await sleep(40);
  if (mode === 'goes') shutdown.signal.removeEventListener('abort', stop);
  if (reqId % 30 === 0) log('request completed', { reqId, words: words.length });
}

const began = performance.now();
let reqId = 0;
for (let elapsed = 0; elapsed < 50; elapsed = (performance.now() - began) / 1000) {
  for (; reqId < elapsed * 60; reqId++) handle(reqId);
  await sleep(20);
}
