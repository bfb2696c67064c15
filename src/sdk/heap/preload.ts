import { isMainThread } from 'node:worker_threads';
import { agent } from '../agent.ts';

/** What `record --heap` lets into Node programs (NODE_OPTIONS): it speaks to the recorder, which may then ask for heaps. */
if (isMainThread) agent.connect();
