import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { rootCertificates } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { describeError } from '../../base/errors.ts';
import type { Encoded } from '../wire/encoded.ts';
import { authorization, type Credentials } from './credentials.ts';

/** What came of a request. */
export type Answer =
  | {
      readonly status: number;
      /** The first of its words. */
      readonly text: string;
      readonly retryAfterMs: number | null;
      /** How many samples it says that it wrote: only servers that know remote-write 2.0 do. */
      readonly written: number | null;
    }
  /** None came. */
  | { readonly status: null; readonly text: string };

/** No server that takes longer is worth a connection. */
const REQUEST_MS = 10_000;
const MOST_TEXT = 2000;

/** One connection to one server, kept open from request to request. */
export class Connection {
  readonly #send: typeof httpRequest;
  /** All that requests have in common; an URL would be taken apart for each of them. */
  readonly #options: RequestOptions;
  readonly #credentials: Credentials;
  readonly #agent: HttpAgent;

  constructor(url: string, credentials: Credentials) {
    const where = new URL(url);
    this.#credentials = credentials;
    const { ca } = credentials;
    const isTls = where.protocol === 'https:';
    const options = { keepAlive: true, maxSockets: 1 };
    this.#agent = isTls
      ? new HttpsAgent({ ...options, ...(ca && { ca: [...rootCertificates, ca] }) })
      : new HttpAgent(options);
    this.#send = isTls ? httpsRequest : httpRequest;
    this.#options = { ...urlToHttpOptions(where), method: 'POST', agent: this.#agent };
  }

  /** Never fails: what went wrong is an answer too. */
  async post({ body, headers }: Encoded, signal: AbortSignal): Promise<Answer> {
    try {
      return await this.#request(body, headers, signal);
    } catch (error) {
      return { status: null, text: describeError(error) };
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #request(
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = this.#send({
        ...this.#options,
        headers: {
          ...headers,
          ...authorization(this.#credentials),
          'content-length': body.length,
          'user-agent': 'highwater',
        },
      });
      // Joined signals and those of a time cost more than the rest of a request: a run has one of each window.
      const giveUp = (why: string) => request.destroy(new Error(why));
      const onAbort = () => giveUp('the run has ended');
      const timer = setTimeout(giveUp, REQUEST_MS, `no answer within ${REQUEST_MS / 1000} s`);
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort);
      request.on('close', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      });
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          if (text.length < MOST_TEXT) text += part;
        });
        response.on('error', reject);
        response.on('end', () => {
          const written = response.headers['x-prometheus-remote-write-samples-written'];
          resolve({
            status: response.statusCode!,
            text: text.slice(0, MOST_TEXT),
            retryAfterMs: retryAfter(response.headers['retry-after']),
            written: written === undefined ? null : Number(written),
          });
        });
      });
      request.end(body);
    });
  }
}

/** Seconds, or a date. */
function retryAfter(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
