// truth: {"cause": "limit", "by": ["node"]}
// A worker thread that prepares batches has a small heap of its own, and keeps all of them.
import { Worker } from 'node:worker_threads';

const work = `
  const { parentPort } = require('node:worker_threads');
  const batches = [];
  setInterval(() => {
    batches.push(Array.from({ length: 100_000 }, (_, token) => ({ token })));
    parentPort.postMessage(batches.length);
  }, 30);
`;
const worker = new Worker(work, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 128 } });
worker.on('message', (batch) => console.log('batch', batch));
worker.on('error', (error) => {
  throw error;
});
