import { parentPort } from 'node:worker_threads';
import { replayAnswers } from '../answers/replays/answers.ts';

const port = parentPort!;
port.on(
  'message',
  replayAnswers((message) => port.postMessage(message)),
);
