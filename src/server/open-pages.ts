import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InputsInfo } from '../model/inputs-info.ts';

/** Progress comes with every megabyte; a page needs no more than this many a second. */
const EVERY_MS = 80;
/** Says that we are still here, so that nothing in between closes a silent connection. */
const HEARTBEAT_MS = 15_000;
/** How long pages may take to fetch the end of a run, on a machine that is busy. */
const LONGEST_MS = 10_000;
/** A page that has not asked by then knew the end already. */
const UNASKED_MS = 4000;
/** After this silence a page has what it wanted. */
const QUIET_MS = 1000;

/**
 * The pages that are open: they are told what is known about the inputs, as server-sent events, and
 * their requests are counted, so that a server does not go before they have fetched the last of it.
 */
export class OpenPages {
  readonly #listening = new Set<ServerResponse>();
  readonly #heartbeat = setInterval(() => this.#send(': still here\n\n'), HEARTBEAT_MS).unref();
  #due: NodeJS.Timeout | null = null;
  #info: InputsInfo | null = null;
  #pending = 0;
  #answered = 0;
  #lastAnswer = 0;

  listen(response: ServerResponse, info: InputsInfo): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event(info));
    this.#listening.add(response);
    response.on('close', () => this.#listening.delete(response));
  }

  tell(info: InputsInfo): void {
    this.#info = info;
    this.#due ??= setTimeout(() => {
      this.#due = null;
      this.#send(event(this.#info!));
    }, EVERY_MS);
  }

  /** A request for data, until it is answered. */
  count(response: ServerResponse): void {
    this.#pending++;
    response.once('close', () => {
      this.#pending--;
      this.#answered++;
      this.#lastAnswer = Date.now();
    });
  }

  /** Until they have fetched what they were just told of. */
  async upToDate(): Promise<void> {
    if (this.#listening.size === 0) return;
    const [started, before] = [Date.now(), this.#answered];
    for (;;) {
      await sleep(50);
      const now = Date.now();
      const asked = this.#answered > before;
      const quiet = this.#pending === 0 && now - this.#lastAnswer > QUIET_MS;
      if (quiet && (asked || now - started > UNASKED_MS)) return;
      if (now - started > LONGEST_MS) return;
    }
  }

  close(): void {
    clearInterval(this.#heartbeat);
    if (this.#due) clearTimeout(this.#due);
    for (const page of this.#listening) page.end();
  }

  #send(text: string): void {
    for (const page of this.#listening) page.write(text);
  }
}

/** JSON has no line breaks, so that one `data:` line is enough. */
const event = (info: InputsInfo) => `event: job\ndata: ${JSON.stringify(info)}\n\n`;
