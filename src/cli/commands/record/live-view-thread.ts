import { parentPort, workerData } from 'node:worker_threads';
import { describeError } from '../../../base/errors.ts';
import { serve } from '../../../server/http.ts';
import type { FromLive, LiveData } from './live-view.ts';

/** A low priority: a viewer must not slow down what is recorded. */
const NICE = 15;

const { folder, port } = workerData as LiveData;
const say = (message: FromLive) => parentPort!.postMessage(message);
try {
  const server = await serve({ inputs: [folder], port, nice: NICE });
  say({ type: 'listening', url: server.url, port: server.port });
  parentPort!.once('message', async () => {
    await server.finish();
    say({ type: 'finished' });
  });
} catch (error) {
  say({ type: 'failed', reason: describeError(error) });
}
