import type { ServerResponse } from 'node:http';
import type { JobInfo } from '../model/job-info.ts';

/** Progress comes with every megabyte; a page needs no more than this many a second. */
const EVERY_MS = 80;
/** Says that we are still here, so that nothing in between closes a silent connection. */
const HEARTBEAT_MS = 15_000;

/** Tells the pages that are open what is known about the inputs, as server-sent events. */
export class News {
  readonly #pages = new Set<ServerResponse>();
  readonly #heartbeat = setInterval(() => this.#send(': still here\n\n'), HEARTBEAT_MS).unref();
  #pending: NodeJS.Timeout | null = null;
  #job: JobInfo | null = null;

  get listeners(): number {
    return this.#pages.size;
  }

  listen(response: ServerResponse, job: JobInfo): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event(job));
    this.#pages.add(response);
    response.on('close', () => this.#pages.delete(response));
  }

  tell(job: JobInfo): void {
    this.#job = job;
    this.#pending ??= setTimeout(() => {
      this.#pending = null;
      this.#send(event(this.#job!));
    }, EVERY_MS);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    if (this.#pending) clearTimeout(this.#pending);
    for (const page of this.#pages) page.end();
  }

  #send(text: string): void {
    for (const page of this.#pages) page.write(text);
  }
}

/** JSON has no line breaks, so that one `data:` line is enough. */
const event = (job: JobInfo) => `event: job\ndata: ${JSON.stringify(job)}\n\n`;
