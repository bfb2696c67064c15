import type { OomFigures } from '../../../model/out-of-memory.ts';
import { integer, inUnits } from './message.ts';
import { CONTROL_GROUP } from './system.ts';

const PAGE = 4096;
/** A limit of 9 EB is none. */
const NO_LIMIT = 2 ** 50;

/**
 * The kernel says why before it says whom it killed, a hundred lines apart where it lists all tasks: what its report
 * has told so far is kept until the killing, and belongs to it. Of a report that is cut off it is all there is.
 */
export class KernelReport {
  #facts: Partial<OomFigures> = {};
  #began = false;

  /** What the report before told, where this line begins another one and nobody was named. */
  push(line: string): OomFigures | null {
    const before = /invoked oom-killer/.test(line) ? this.cutOff() : null;
    if (/invoked oom-killer/.test(line)) this.#began = true;
    if (/oom-kill:constraint=CONSTRAINT_(?:MEMCG|NONE)\b/.test(line)) {
      this.#began = true;
      this.#note({ pid: integer(line, /\bpid=(\d{1,10})/) });
      this.#note(/_MEMCG/.test(line) ? { limitOf: CONTROL_GROUP } : { machineFull: true });
    }
    const limit = inUnits(line, /\bmemory: usage \d{1,15}kB, limit (\d{1,15})kB/, 1024);
    if (limit !== undefined && limit < NO_LIMIT) {
      this.#began = true;
      this.#note({ limit, limitOf: CONTROL_GROUP });
    }
    if (this.#began) this.#note({ total: inUnits(line, /\b(\d{1,12}) pages RAM\b/, PAGE) });
    return before;
  }

  /** What is known of a killing. */
  explain(killing: OomFigures): OomFigures {
    const facts = this.#facts;
    this.#forget();
    if (killing.unexplained && facts.limitOf === undefined && !facts.machineFull) return killing;
    const { unexplained: _, ...known } = killing;
    return { ...facts, ...known };
  }

  /** What a report told that names nobody; null where there is none. */
  cutOff(): OomFigures | null {
    if (!this.#began) return null;
    const facts = this.#facts;
    this.#forget();
    return { source: 'kernel', place: 'host', ...facts };
  }

  #forget(): void {
    this.#facts = {};
    this.#began = false;
  }

  #note(facts: Partial<OomFigures>): void {
    const told = Object.entries(facts).filter(([, value]) => value !== undefined);
    this.#facts = { ...this.#facts, ...Object.fromEntries(told) };
  }
}
