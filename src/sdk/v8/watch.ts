import { V8Figures } from './figures.ts';
import { collectAtTheEnd, worthCollecting } from './last-collection.ts';
import { onMajorCollection } from './sentinel.ts';

/** False: nobody listens any more. */
type Tell = (message: object) => boolean;

/** A reading comes when the process is older by this share than at the last one, within these bounds. */
const SHARE_OF_AGE = 1 / 240;
const SHORTEST_MS = 500;
const LONGEST_MS = 30_000;

/** Tells what this thread's V8 holds, ever more rarely; `thread`: null for the main one. */
export function watchV8(tell: Tell, thread: number | null, later: typeof setTimeout): void {
  const figures = new V8Figures();
  const first = memoryNow();
  const suffix = thread === null ? '' : `.${thread}`;
  const say = (values: Readonly<Record<string, number>>) => {
    const named = Object.entries(values).map(([name, value]) => [`v8.${name}${suffix}`, value]);
    const time = Number(process.hrtime.bigint());
    return tell({ type: 'counters', time, values: Object.fromEntries(named) });
  };
  onMajorCollection(() => figures.collected(memoryNow()));
  const look = () => {
    if (!say(figures.read(memoryNow()))) return;
    const age = process.uptime() * 1000;
    const pause = Math.min(Math.max(age * SHARE_OF_AGE, SHORTEST_MS), LONGEST_MS);
    later(look, pause).unref();
  };
  look();
  if (thread !== null) return;
  atTheEnd(() => {
    const now = memoryNow();
    say(figures.read(now));
    if (worthCollecting(now, figures.left ?? first, process.uptime())) {
      const end = collectAtTheEnd();
      if (end) say({ end_heap: end.heapUsed, end_external: end.external });
    }
    tell({ type: 'bye', dropped: 0 });
  });
}

/** V8 counts buffers that another thread has given back as gone only when the next one is made: so a small one is. */
function memoryNow(): NodeJS.MemoryUsage {
  void new ArrayBuffer(8);
  return process.memoryUsage();
}

/**
 * After the program's own listeners for `exit`, as nothing that they see is to change; and no listener of ours is
 * among those that the program counts, or that Node warns of as too many.
 */
function atTheEnd(last: () => void): void {
  const { emit } = process;
  const value = function (this: NodeJS.Process, ...words: unknown[]) {
    const heard = Reflect.apply(emit, this, words);
    if (words[0] === 'exit' && this === process) {
      try {
        last();
      } catch {}
    }
    return heard;
  };
  Object.defineProperty(process, 'emit', { value, writable: true, configurable: true });
}
