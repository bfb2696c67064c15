// Node: two worker threads; one keeps every message it got, or neither does.
// truth: {"leak": true, "args": ["keep"], "culprit": "main|node", "slope": [64000, 85000], "per": "iteration"}
// truth: {"leak": false, "args": ["drop"]}
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

if (isMainThread) {
  const workers = [0, 1].map(
    (number) =>
      new Worker(new URL(import.meta.url), { workerData: { number, how: process.argv[2] } }),
  );
  const STEPS = 4000;
  for (let step = 0; step < STEPS; step++) {
    const answers = workers.map((worker) => once(worker, 'message'));
    for (const worker of workers) worker.postMessage(new Uint8Array(64 * 1024).fill(step));
    await Promise.all(answers);
    await sleep(2);
    if (step % 20 === 19)
      console.log(`step ${step + 1}/${STEPS} loss ${(1 / (step + 1)).toFixed(4)}`);
  }
  for (const worker of workers) worker.terminate();
} else {
  const kept = [];
  parentPort.on('message', (message) => {
    if (workerData.how === 'keep' && workerData.number === 1) kept.push(message);
    parentPort.postMessage(message[0]);
  });
}
