import { figures } from './evidence.ts';
import { type KindRule, onlyByNumber } from './rule.ts';

/** What an open file or socket takes in a process: an object and its buffer. */
const EACH = { least: 64, most: 1024 * 1024 };

/** Files and sockets that are never closed, and in no container that was seen to grow. */
export const openFiles: KindRule = {
  kind: 'open-files',
  find: (breakdown) =>
    onlyByNumber(breakdown, 'os.files', EACH)
      ? {
          name: 'files or sockets that are not closed',
          where: null,
          evidence: figures(breakdown),
          advice: [
            'close each one: `with open(…) as file:`, `with socket.create_connection(…):`, response.close(), executor.shutdown()',
            '`ls -l /proc/PID/fd` shows which; `python -X dev` warns of files that nobody closed, with PYTHONTRACEMALLOC=5 of the line that opened them',
          ],
        }
      : null,
};
