// A worker thread makes pages of templates and keeps what it compiled: by the whole job, or by the template's name.
// truth: {"leak": true, "args": ["by-job"], "culprit": "main|node|worker", "slope": [250000, 420000], "per": "iteration", "why": "eight templates of 32 kB in each step; V8 lets garbage grow with what stays"}
// truth: {"leak": false, "args": ["by-name"]}
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const mode = process.argv[2];
const STEPS = 450;
const compiled = new Map();

function page({ name, job }) {
  const key = mode === 'by-job' ? `${name} ${job}` : name;
  if (!compiled.has(key)) {
    const parts = Array.from({ length: 180 }, (_, i) => ({
      text: `<li class="${key}-${i}">`,
      field: i,
    }));
    compiled.set(key, (row) =>
      parts.map(({ text, field }) => `${text}${row[field % 8]}</li>`).join(''),
    );
  }
  return compiled.get(key)(Array.from({ length: 8 }, (_, i) => job + i));
}

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), { argv: [mode] });
  const began = performance.now();
  for (let step = 1; step <= STEPS; step++) {
    let length = 0;
    for (let index = 0; index < 8; index++) {
      worker.postMessage({ name: `mail-${index}`, job: step * 8 + index });
      const [text] = await once(worker, 'message');
      length += text.length;
    }
    console.log(`step ${step}/${STEPS} bytes ${length}`);
    await sleep(Math.max(0, began + step * 100 - performance.now()));
  }
  await worker.terminate();
} else {
  parentPort.on('message', (job) => parentPort.postMessage(page(job)));
}
