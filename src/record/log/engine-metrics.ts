import { get } from 'node:http';
import { metricsSample } from '../../formats/log-lines/index.ts';
import type { ServingSample } from '../../model/engine-plan.ts';
import { listensAt } from '../../sources/listening.ts';

/** Engines write a line of their log for each question: no oftener than Prometheus asks. */
const EVERY_MS = 5000;
const PATIENCE_MS = 2000;
const MOST_BYTES = 8 << 20;
/** Of an engine that does not offer it (llama.cpp without --metrics), nor tells what is known. */
const MOST_REFUSALS = 3;
const MOST_PORTS = 16;

interface Place {
  readonly engine: string;
  readonly port: number;
  refusals: number;
}

/**
 * Asks engines how busy they are, where their log says that they answer HTTP: `GET /metrics`, on the loopback, of a port at which a
 * process of the workload listens, and nothing else.
 */
export class EngineMetrics {
  readonly #pids: () => Iterable<number>;
  readonly #onSample: (sample: ServingSample) => void;
  readonly #everyMs: number;
  readonly #places: Place[] = [];
  #timer: NodeJS.Timeout | null = null;
  #asking = false;

  constructor(
    pids: () => Iterable<number>,
    onSample: (sample: ServingSample) => void,
    everyMs = EVERY_MS,
  ) {
    this.#pids = pids;
    this.#onSample = onSample;
    this.#everyMs = everyMs;
  }

  found(engine: string, port: number): void {
    const known = this.#places.find((one) => one.port === port);
    if (known)
      known.refusals = 0; // it has been started again
    else if (this.#places.length < MOST_PORTS) this.#places.push({ engine, port, refusals: 0 });
    this.#timer ??= setInterval(() => void this.#ask(), this.#everyMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#places.length = 0;
  }

  async #ask(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    for (const place of [...this.#places]) {
      const host = place.refusals < MOST_REFUSALS ? listensAt(place.port, this.#pids()) : null;
      // Not yet, or no more.
      if (host === null) continue;
      const text = await ask(host, place.port);
      const sample = text === null ? null : metricsSample(text);
      place.refusals = sample ? 0 : place.refusals + 1;
      if (sample && this.#timer) {
        const who = { engine: place.engine, worker: String(place.port), from: 'metrics' } as const;
        this.#onSample({ ...who, ...sample });
      }
    }
    this.#asking = false;
  }
}

/** null: it does not answer, or not with a text. */
async function ask(host: string, port: number): Promise<string | null> {
  const { status, text } = await fetched(host, port, '/metrics');
  // Where it is mounted beside the program's own paths.
  if (status === 307 || status === 308) {
    const moved = await fetched(host, port, '/metrics/');
    return moved.status === 200 ? moved.text : null;
  }
  return status === 200 ? text : null;
}

function fetched(
  host: string,
  port: number,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const nothing = { status: 0, text: '' };
  return new Promise((resolve) => {
    const request = get({ host, port, path, agent: false, timeout: PATIENCE_MS }, (answer) => {
      const chunks: Buffer[] = [];
      let length = 0;
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MOST_BYTES) request.destroy();
      });
      answer.on('error', () => resolve(nothing));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    const deadline = setTimeout(() => request.destroy(), PATIENCE_MS);
    request.on('close', () => {
      clearTimeout(deadline);
      resolve(nothing);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(nothing));
  });
}
