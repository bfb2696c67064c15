import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long pages may take to fetch the end of a run, on a machine that is busy. */
const LONGEST_MS = 10_000;
/** A page that has not asked by then knew the end already. */
const UNASKED_MS = 4000;
/** After this silence a page has what it wanted. */
const QUIET_MS = 1000;

/** Who asks for data, and how long nobody has. */
export class Traffic {
  #pending = 0;
  #answered = 0;
  #last = 0;

  count(response: ServerResponse): void {
    this.#pending++;
    response.once('close', () => {
      this.#pending--;
      this.#answered++;
      this.#last = Date.now();
    });
  }

  /** Until the pages have fetched what they were just told of. */
  async calm(): Promise<void> {
    const [started, before] = [Date.now(), this.#answered];
    for (;;) {
      await sleep(50);
      const now = Date.now();
      const asked = this.#answered > before;
      const quiet = this.#pending === 0 && now - this.#last > QUIET_MS;
      if (quiet && (asked || now - started > UNASKED_MS)) return;
      if (now - started > LONGEST_MS) return;
    }
  }
}
