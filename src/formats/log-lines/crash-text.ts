import type { CrashText, OomEvent, OomFigures } from '../../model/out-of-memory.ts';
import { EngineTextReader } from './engines/reader.ts';
import { splitLines } from './line-splitter.ts';
import { bare } from './oom/bare-line.ts';
import { oomFigures, oomMessage } from './oom/index.ts';
import { KernelReport } from './oom/kernel-report.ts';
import type { Message } from './oom/message.ts';
import { PoolStats } from './oom/pool-stats.ts';
import { Traceback } from './oom/traceback.ts';
import { XlaProgramReader } from './oom/xla-program.ts';

/** A log that says it at every step says nothing new after so many. */
const MOST_EVENTS = 1000;
const LONGEST_TEXT = 400;

/** A message that may go on in the lines after it. */
interface Open {
  readonly message: Message;
  readonly line: number;
  readonly first: string;
  readonly more: string[];
}

/** What a log says about memory that ran out; nothing of it is kept but that. */
export function crashTextOf(name: string, pieces: Iterable<Uint8Array>): CrashText {
  const reader = new CrashReader();
  const lines = splitLines();
  for (const piece of pieces) for (const line of lines.push(piece)) reader.push(line);
  for (const line of lines.end()) reader.push(line);
  return reader.end(name);
}

/** The same of what comes in while it comes: a pipe, or text that is pasted. */
export async function crashTextFrom(
  name: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<CrashText> {
  const reader = new CrashReader();
  const lines = splitLines();
  for await (const piece of pieces) for (const line of lines.push(piece)) reader.push(line);
  for (const line of lines.end()) reader.push(line);
  return reader.end(name);
}

/** Reads what is left of a program, line by line: only messages of memory that ran out, and plans of engines, are kept. */
export class CrashReader {
  #lines = 0;
  #told = 0;
  #dropped = 0;
  #open: Open | null = null;
  readonly #kernel = new KernelReport();
  readonly #pool = new PoolStats();
  readonly #engines = new EngineTextReader();
  readonly #program = new XlaProgramReader();
  readonly #traceback = new Traceback();
  /** The last event whose program may be told of in the lines after it. */
  #compiled: string | null = null;
  readonly #events = new Map<string, OomEvent>();

  push(line: string): void {
    this.#lines++;
    const cutOff = this.#kernel.push(line);
    if (cutOff) this.#add(cutOff, this.#lines - 1, '(a report of the kernel that names nobody)');
    this.#pool.push(bare(line));
    this.#engines.push(line);
    this.#traceback.push(bare(line));
    if (this.#program.push(bare(line))) this.#told = this.#lines;
    const message = oomMessage(bare(line));
    if (message) {
      this.#close();
      this.#describeProgram();
      this.#open = { message, line: this.#lines, first: line, more: [] };
      this.#told = this.#lines;
    } else this.#open?.more.push(bare(line));
    if (this.#open && this.#open.more.length >= (this.#open.message.more ?? 0)) this.#close();
  }

  end(name: string): CrashText {
    this.#close();
    this.#describeProgram();
    const cutOff = this.#kernel.cutOff();
    if (cutOff) this.#add(cutOff, this.#lines, '(a report of the kernel that is cut off)');
    const events = [...this.#events.values()].sort((a, b) => a.line - b.line);
    const engines = this.#engines.end();
    return { name, lines: this.#lines, told: this.#told, events, dropped: this.#dropped, engines };
  }

  #close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = null;
    const { message, line, first, more } = open;
    const found = oomFigures(message, [bare(first), ...more].join(' '));
    this.#add(this.#explained(found), line, first);
  }

  /** What was told since belongs to the last event, or to the one that the log repeats with it. */
  #describeProgram(): void {
    const program = this.#program.take();
    const event = this.#compiled === null ? undefined : this.#events.get(this.#compiled);
    if (program && event && !event.program)
      this.#events.set(this.#compiled!, { ...event, program });
  }

  #explained(found: OomFigures): OomFigures {
    if (found.source === 'kernel') return this.#kernel.explain(found);
    return POOLED.has(found.source) && found.place === 'gpu' ? this.#pool.explain(found) : found;
  }

  #add(figures: OomFigures, line: number, first: string): void {
    const who = { pid: figures.pid ?? pidOf(first), rank: rankOf(first) ?? undefined };
    // The kernel says "Kill process 7" and then "Killed process 7", with sizes.
    const key =
      figures.source === 'kernel' && figures.pid !== undefined
        ? `kernel ${figures.pid}`
        : JSON.stringify([figures, who.rank]);
    if (POOLED.has(figures.source)) this.#compiled = key;
    const before = this.#events.get(key);
    if (before) {
      const again = figures.source === 'kernel' ? figures : {};
      this.#events.set(key, { ...before, ...again, times: before.times + 1 });
    } else if (this.#events.size >= MOST_EVENTS) this.#dropped++;
    else {
      const text = bare(first).trim().slice(0, LONGEST_TEXT);
      const told = Object.entries(who).filter(([, value]) => value !== undefined);
      const frameworks = this.#traceback.frameworks();
      this.#events.set(key, {
        ...figures,
        line,
        times: 1,
        text,
        ...Object.fromEntries(told),
        ...(frameworks.length > 0 && { frameworks }),
      });
    }
  }
}

/** Frameworks with a pool that tells its own size. */
const POOLED: ReadonlySet<string> = new Set(['jax', 'xla', 'tensorflow']);

/** Who says it, where a launcher puts that before a line: `[rank3]: `, `[default3]:`, `3: ` of srun -l, `(Worker rank=3 pid=7)`. */
const RANK =
  /^.{0,40}?\[(?:rank|default)(\d{1,5})\]:|^(\d{1,4}): (?=\S)|^\([^()]{0,60}\brank[= ](\d{1,5})[^()]{0,60}\)/;
const PID = /^\([^()]{0,60}\bpid=(\d{1,10})[^()]{0,60}\)/;
function rankOf(line: string): number | null {
  const found = RANK.exec(line);
  return found ? Number(found[1] ?? found[2] ?? found[3]) : null;
}

function pidOf(line: string): number | undefined {
  const found = PID.exec(line);
  return found ? Number(found[1]) : undefined;
}
