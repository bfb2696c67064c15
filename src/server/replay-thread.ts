import { parentPort } from 'node:worker_threads';
import { replayAnswers } from './replay-answers.ts';

const port = parentPort!;
port.on(
  'message',
  replayAnswers((message) => port.postMessage(message)),
);
