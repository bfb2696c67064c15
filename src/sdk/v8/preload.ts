import { takeOut } from './node-options.ts';

/**
 * What `record` lets into a Node program (NODE_OPTIONS): now and then it tells what V8 holds, and what was left after
 * its collections, as nothing outside can tell garbage from a leak. Here it only makes its own traces disappear and waits: a program that
 * is over soon pays for nothing else.
 */
const AFTER_MS = 200;

/** As it is now: programs and tests put others in its place. */
const { setTimeout: later } = globalThis;

takeOut(process.env, __filename);
delete require.cache[__filename];
const socket = process.env.HIGHWATER_SOCKET;
if (socket) {
  later(() => {
    import('./speak.ts').then(({ speak }) => speak(socket, later)).catch(() => {});
  }, AFTER_MS).unref();
}
