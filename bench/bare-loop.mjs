import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * The least that a sampler can be: a thread that sleeps until absolute deadlines and does nothing.
 * `node bare-loop.mjs RATE SECONDS [WORK]` prints how late it woke, as JSON. With WORK it computes for
 * so many microseconds each time: the kernel lets a thread that works wait longer for its next turn.
 */
if (isMainThread) {
  const [rateHz, seconds, workUs = 0] = process.argv.slice(2).map(Number);
  const worker = new Worker(new URL(import.meta.url), { workerData: { rateHz, seconds, workUs } });
  worker.on('message', (lateness) => process.stdout.write(`${JSON.stringify(lateness)}\n`));
} else {
  const { rateHz, seconds, workUs } = workerData;
  const words = new Int32Array(new SharedArrayBuffer(4));
  const lateMs = new Float64Array(rateHz * seconds);
  let taken = 0;
  const start = performance.now();
  for (let tick = 0; tick < lateMs.length; ) {
    const deadline = start + (tick * 1000) / rateHz;
    const wait = deadline - performance.now();
    if (wait > 0) Atomics.wait(words, 0, 0, wait);
    const woken = performance.now();
    const late = woken - deadline;
    lateMs[taken++] = late;
    while (performance.now() < woken + workUs / 1000);
    // As the recorder does: a tick whose time has passed altogether is not made up.
    tick += 1 + Math.floor((Math.max(0, late) / 1000) * rateHz);
  }
  const sorted = lateMs.subarray(0, taken).sort();
  const at = (q) => sorted[Math.min(taken - 1, Math.ceil(q * taken) - 1)];
  parentPort.postMessage({ ticks: taken, p50: at(0.5), p99: at(0.99), max: at(1) });
}
