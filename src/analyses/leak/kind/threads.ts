import { figures } from './evidence.ts';
import { type KindRule, onlyByNumber } from './rule.ts';

/** What a thread takes: a page or two of its stack at least, and hardly more than all of it. */
const EACH = { least: 4 * 1024, most: 16 * 1024 * 1024 };

/** Threads that never end. Their stacks are no objects of Python's. */
export const threads: KindRule = {
  kind: 'threads',
  find: (breakdown) =>
    onlyByNumber(breakdown, 'os.threads', EACH)
      ? {
          name: 'threads that do not end',
          where: null,
          evidence: figures(breakdown),
          advice: [
            'join each thread, or let a pool of a fixed size do the work (concurrent.futures.ThreadPoolExecutor(max_workers=…))',
            'a thread that waits for ever (Event.wait(), Queue.get() without a timeout) needs somebody who tells it to end',
            '`py-spy dump --pid PID`, or faulthandler.dump_traceback(), shows where they wait',
          ],
        }
      : null,
};
