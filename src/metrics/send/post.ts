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
  /** None came; the server may have all of it where the whole request was sent. */
  | { readonly status: null; readonly text: string; readonly wasSent: boolean };

const MOST_TEXT = 2000;

/** One connection to one server, kept open from request to request. */
export class Connection {
  readonly #send: typeof httpRequest;
  /** All that requests have in common; an URL would be taken apart for each of them. */
  readonly #options: RequestOptions;
  readonly #credentials: Credentials;
  readonly #agent: HttpAgent;
  readonly #answerMs: number;

  constructor(url: string, credentials: Credentials, answerMs: number) {
    this.#answerMs = answerMs;
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
    const sent = { whole: false };
    try {
      return await this.#request(body, headers, signal, sent);
    } catch (error) {
      return { status: null, text: describeError(error), wasSent: sent.whole };
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #request(
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    sent: { whole: boolean },
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
      const timer = setTimeout(
        giveUp,
        this.#answerMs,
        `no answer within ${this.#answerMs / 1000} s`,
      );
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort);
      request.on('close', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      });
      request.on('error', reject);
      // Also said of a connection that could not be made.
      request.on('finish', () => {
        sent.whole = request.socket?.destroyed === false;
      });
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
            written: /^\d+$/.test(String(written)) ? Number(written) : null,
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
