import { VERSION } from '../../base/version.ts';
import type { Sample } from '../samples.ts';
import type { Encoded } from '../wire/encoded.ts';
import { otlp } from '../wire/otlp.ts';
import { type KnownLabels, remoteWrite1, remoteWrite2 } from '../wire/remote-write.ts';
import type { Credentials } from './credentials.ts';
import { type Answer, Connection } from './post.ts';
import { SampleQueue } from './queue.ts';
import type { Target } from './target.ts';

/** How patient it is. */
export interface Patience {
  /** Values that may wait; with more, the oldest are let go. */
  readonly queued: number;
  /** After a failure: at first, and at most. Each is drawn between half of it and all. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** No server that takes longer to answer is worth a connection. */
  readonly answerMs: number;
}

/** About three hours of a run with a card, at a window of 15 s. */
export const PATIENCE: Patience = {
  queued: 40_000,
  firstMs: 1000,
  mostMs: 60_000,
  answerMs: 10_000,
};

/** What a server may ask us to wait. */
const MOST_RETRY_AFTER_MS = 300_000;
const SAMPLES_A_REQUEST = 5000;
/** At the end there is no time for more patience. */
const LAST_PAUSE_MS = 200;

/** What became of the values so far. */
export interface Sent {
  readonly sent: number;
  /** Refused by the server for what they are. */
  readonly refused: number;
  /** Let go because too many waited. */
  readonly overflowed: number;
  /** Not sent when it ended. */
  readonly left: number;
  /** Sent, perhaps taken: the answer came too late or not at all, and no later one says that the server has them. */
  readonly unknown: number;
  /** What the server said last when it did not take something, or what went wrong. */
  readonly problem: string | null;
}

/** Sends samples to one server, one request at a time, and keeps what it does not take. */
export class Sender {
  readonly #target: Target;
  readonly #connection: Connection;
  readonly #patience: Patience;
  readonly #queue: SampleQueue;
  readonly #onProblem: (problem: string) => void;
  readonly #over = new AbortController();
  readonly #labels: KnownLabels = new Map();
  /** In a request that failed as a whole, of which some servers keep a part. */
  readonly #failed = new WeakSet<readonly Sample[]>();
  /** Remote-write: not known before a server has answered to 2.0. */
  #version: 1 | 2 | null = null;
  /** Moments in a request; one at a time after a refusal, to find what is refused. */
  #chunks = Number.POSITIVE_INFINITY;
  #failures = 0;
  #sent = 0;
  #refused = 0;
  #unknown = 0;
  #problem: string | null = null;
  #finishing = false;
  #wake: () => void = () => {};
  #running: Promise<void> | null = null;

  constructor(
    target: Target,
    credentials: Credentials,
    onProblem: (problem: string) => void = () => {},
    patience: Patience = PATIENCE,
  ) {
    this.#target = target;
    this.#connection = new Connection(target.url, credentials, patience.answerMs);
    this.#onProblem = onProblem;
    this.#patience = patience;
    this.#queue = new SampleQueue(patience.queued);
  }

  /** Values that no server took and nobody will send. */
  get dropped(): number {
    return this.#refused + this.#queue.overflowed - this.#queue.overflowedInDoubt;
  }

  /** Values that a server may have, and nobody will send again. */
  get unknown(): number {
    return this.#unknown + this.#queue.overflowedInDoubt;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Of one moment. */
  add(samples: readonly Sample[]): void {
    if (samples.length === 0) return;
    this.#queue.add(samples);
    this.#running ??= this.#run();
  }

  /** Waits until everything is sent; gives up when nothing was taken for a time. */
  async drain(quietMs: number): Promise<void> {
    for (let before = -1; this.#queue.size > 0; ) {
      const done = this.#sent + this.dropped + this.unknown;
      if (done === before) return;
      before = done;
      let timer: NodeJS.Timeout | undefined;
      const quiet = new Promise((resolve) => {
        timer = setTimeout(resolve, quietMs);
      });
      await Promise.race([this.#running, quiet]);
      clearTimeout(timer);
    }
  }

  /** Sends what is left, and gives up after a time. */
  async finish(withinMs: number): Promise<Sent> {
    this.#finishing = true;
    this.#wake();
    const timer = setTimeout(() => {
      this.#over.abort();
      this.#wake();
    }, withinMs);
    await this.#running;
    clearTimeout(timer);
    this.#connection.close();
    const { size, overflowed, overflowedInDoubt } = this.#queue;
    const leftInDoubt = this.#queue.inDoubt();
    return {
      sent: this.#sent,
      refused: this.#refused,
      overflowed: overflowed - overflowedInDoubt,
      left: size - leftInDoubt,
      unknown: this.unknown + leftInDoubt,
      problem: this.#problem,
    };
  }

  async #run(): Promise<void> {
    while (this.#queue.size > 0 && !this.#over.signal.aborted) {
      const pauseMs = await this.#sendFirst();
      if (pauseMs > 0) await this.#pause(pauseMs);
    }
    this.#running = null;
  }

  #pause(ms: number): Promise<void> {
    if (this.#over.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#finishing ? LAST_PAUSE_MS : ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** How long to wait before the next request. */
  async #sendFirst(): Promise<number> {
    const chunks = this.#queue.take(this.#chunks, SAMPLES_A_REQUEST);
    const samples = chunks.flat();
    const answer = await this.#connection.post(this.#encode(samples), this.#over.signal);
    this.#queue.putBack();
    const { status } = answer;
    const isTaken = status !== null && status >= 200 && status < 300;
    if (!isTaken && mayHaveTaken(answer)) this.#queue.doubt(chunks);
    if (this.#isOldServer(answer)) {
      if (isTaken) this.#noteFailed(chunks);
      return 0;
    }
    if (isTaken) {
      this.#queue.done(chunks);
      this.#sent += samples.length;
      this.#chunks *= 2;
      this.#failures = 0;
      return 0;
    }
    if (this.#over.signal.aborted) return 0;
    this.#note(problemOf(answer));
    if (!isRefusal(status)) {
      this.#noteFailed(chunks);
      return this.#backOff(answer);
    }
    const isCounted = status !== 413 && answer.status !== null && answer.written !== null;
    if (!isCounted && chunks.length > 1) {
      this.#noteFailed(chunks);
      this.#chunks = 1;
    } else if (status === 413 && samples.length > 1) this.#queue.halve(chunks[0]!);
    else this.#refuse(chunks, answer);
    return 0;
  }

  /** Some may be there: by the server's own count, or as it has had them before and takes nothing twice. */
  #refuse(chunks: readonly (readonly Sample[])[], answer: Answer): void {
    const all = chunks.reduce((sum, { length }) => sum + length, 0);
    const written = Math.min(all, answer.status === null ? 0 : (answer.written ?? 0));
    const again = TAKES_NOTHING_TWICE.test(answer.text)
      ? chunks.filter((chunk) => this.#failed.has(chunk))
      : [];
    this.#queue.doubt(again);
    const unknown = Math.min(all - written, this.#queue.inDoubt(chunks));
    this.#sent += written;
    this.#unknown += unknown;
    this.#refused += all - written - unknown;
    this.#queue.done(chunks);
  }

  #noteFailed(chunks: readonly (readonly Sample[])[]): void {
    for (const chunk of chunks) this.#failed.add(chunk);
  }

  #encode(samples: readonly Sample[]): Encoded {
    if (this.#target.protocol === 'otlp') return otlp(samples, VERSION);
    return this.#version === 1 ? remoteWrite1(samples, this.#labels) : remoteWrite2(samples);
  }

  /**
   * 2.0 is for servers that say how much they wrote: others refuse it, or take it and store nothing.
   * True where the same has to be sent again as 1.0.
   */
  #isOldServer(answer: Answer): boolean {
    const { status } = answer;
    if (this.#target.protocol === 'otlp' || this.#version !== null || status === null) return false;
    if (status >= 500 || (NOT_OF_DATA.has(status) && status !== 404)) return false;
    this.#version = answer.written !== null ? 2 : 1;
    return this.#version === 1;
  }

  #backOff(answer: Answer): number {
    const { firstMs, mostMs } = this.#patience;
    const longest = Math.min(mostMs, firstMs * 2 ** Math.min(this.#failures++, 30));
    const drawn = longest * (0.5 + Math.random() / 2);
    const asked = answer.status === null ? 0 : (answer.retryAfterMs ?? 0);
    return Math.max(drawn, Math.min(asked, MOST_RETRY_AFTER_MS));
  }

  #note(problem: string): void {
    const isFirst = this.#problem === null;
    this.#problem = problem;
    if (isFirst) this.#onProblem(problem);
  }
}

/** They say nothing of what was sent, but of who sent it, or that nobody listens there yet: it is tried again. */
const NOT_OF_DATA: ReadonlySet<number> = new Set([401, 403, 404, 407, 408, 425, 429]);

/** What was sent will never be taken. */
const isRefusal = (status: number | null) =>
  status !== null && status >= 400 && status < 500 && !NOT_OF_DATA.has(status);

/** Nobody who has seen the whole request says what became of it: 502 and 504 are of those between us and the server. */
const mayHaveTaken = (answer: Answer) =>
  answer.status === null ? answer.wasSent : answer.status === 502 || answer.status === 504;

/** What Prometheus, and what is made of it, answers to a sample that it has already, as to one that is older than its newest. */
const TAKES_NOTHING_TWICE = /out.of.order|duplicate/i;

/** The server's own words, its first line of them. */
function problemOf(answer: Answer): string {
  if (answer.status === null) return answer.text;
  const said = answer.text.trim().split('\n')[0]!.slice(0, 300);
  return said ? `HTTP ${answer.status}: ${said}` : `HTTP ${answer.status}`;
}
