import { isMainThread } from 'node:worker_threads';
import { agent } from '../agent.ts';

/** It may take this long until the program has begun. */
const AFTER_MS = 200;

/** What `record --heap` lets into Node programs (NODE_OPTIONS): it speaks to the recorder, which may then ask for heaps, and tells what V8 holds. */
if (isMainThread) {
  agent.connect();
  const tell = (message: object) => {
    agent.send(message);
    return true;
  };
  const { setTimeout: later } = globalThis;
  later(() => {
    import('../v8/watch.ts').then(({ watchV8 }) => watchV8(tell, null, later)).catch(() => {});
  }, AFTER_MS).unref();
}
