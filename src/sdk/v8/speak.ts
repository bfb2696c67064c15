import { createConnection } from 'node:net';
import { isMainThread, threadId } from 'node:worker_threads';
import { hello } from '../hello.ts';
import { watchV8 } from './watch.ts';

/** A recorder that does not read must not fill the program's memory. */
const MAX_WAITING = 1 << 16;

/** Of programs that start thread after thread, the first speak. */
const MOST_THREADS = 64;

/** Each thread has a V8 of its own, and speaks for itself. It can be asked nothing. */
export function speak(path: string, later: typeof setTimeout): void {
  if (threadId > MOST_THREADS) return;
  const socket = createConnection(path);
  socket.unref();
  socket.on('error', () => {});
  const tell = (message: object) => {
    const full = socket.destroyed || socket.writableLength > MAX_WAITING;
    if (!full) socket.write(`${JSON.stringify(message)}\n`);
    return !socket.destroyed;
  };
  tell(hello([]));
  watchV8(tell, isMainThread ? null : threadId, later);
}
