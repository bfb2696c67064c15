import { once } from 'node:events';
import { request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { describeError, errnoCode } from '../../base/errors.ts';
import { printable } from '../../base/text.ts';
import type { ClickHouseTarget } from './target.ts';

/** A request that failed, and whether another try may do better. */
export class ClickHouseError extends Error {
  readonly again: boolean;

  constructor(message: string, again: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'ClickHouseError';
    this.again = again;
  }
}

/** So long a server may take for one answer. */
const TIMEOUT_MS = 60_000;

/** Of the server's own errors, those that pass: busy, out of memory, too many parts, a replica that is read-only. */
const PASSING: ReadonlySet<string> = new Set(
  '159 160 202 209 210 241 242 252 319 425 999'.split(' '),
);
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** One server of a target: statements in, text out. */
export class ClickHouse {
  readonly #server: string;
  readonly #target: ClickHouseTarget;

  constructor(target: ClickHouseTarget, server: string) {
    this.#target = target;
    this.#server = server;
  }

  /** `parameters`: what stands as `{name:Type}` in it. */
  query(statement: string, parameters: Readonly<Record<string, string>> = {}): Promise<string> {
    const given = Object.entries(parameters).map(([name, value]) => [`param_${name}`, value]);
    return this.#post(Object.fromEntries(given), [statement]);
  }

  /** The pieces are made as the server takes them. */
  insert(statement: string, pieces: Iterable<Uint8Array>): Promise<string> {
    return this.#post({ query: statement }, pieces);
  }

  async #post(
    parameters: Readonly<Record<string, string>>,
    pieces: Iterable<string | Uint8Array>,
  ): Promise<string> {
    const { user, password, ca } = this.#target;
    // Answered when all is written, so that the status is that of the whole; deletions are waited for.
    const settings = { wait_end_of_query: '1', mutations_sync: '2', ...parameters };
    const url = `${this.#server}/?${new URLSearchParams(settings)}`;
    const headers = {
      'content-type': 'application/octet-stream',
      'transfer-encoding': 'chunked',
      ...(user !== null && { 'x-clickhouse-user': user }),
      ...(password !== null && { 'x-clickhouse-key': password }),
    };
    const options = { method: 'POST', headers, timeout: TIMEOUT_MS };
    const request = url.startsWith('https:')
      ? secure(url, { ...options, ...(ca !== null && { ca }) })
      : plain(url, options);
    const answered = new Promise<string>((resolve, reject) => {
      request.once('timeout', () => request.destroy(new Error('no answer for a minute')));
      request.once('error', (error) => reject(this.#lost(error)));
      request.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
        });
        response.once('error', (error) => reject(this.#lost(error)));
        response.once('end', () => {
          if (response.statusCode === 200) resolve(text);
          else reject(this.#refused(response.statusCode ?? 0, response.headers, text));
        });
      });
    });
    answered.catch(() => {}); // it is awaited below, when all was sent
    await send(request, pieces, answered);
    return answered;
  }

  #lost(error: Error): ClickHouseError {
    const why = errnoCode(error) === 'ECONNREFUSED' ? 'nobody listens there' : describeError(error);
    // A certificate that is not trusted stays so.
    const again = !/CERT|SIGNED|SSL|ENOTFOUND/i.test(errnoCode(error) ?? '');
    return new ClickHouseError(`${this.#server}: ${printable(why)}`, again, error);
  }

  #refused(status: number, headers: NodeJS.Dict<string | string[]>, text: string) {
    const code = String(headers['x-clickhouse-exception-code'] ?? '');
    const again = code ? PASSING.has(code) : PASSING_STATUS.has(status);
    const said = printable(text.trim().split('\n')[0]!.slice(0, 300)) || `status ${status}`;
    return new ClickHouseError(`${this.#server}: ${said}`, again);
  }
}

/** No faster than the server reads; a server that has answered, or is gone, is sent no more. */
async function send(
  request: ReturnType<typeof plain>,
  pieces: Iterable<string | Uint8Array>,
  answered: Promise<unknown>,
): Promise<void> {
  let over = false;
  const ended = answered.then(
    () => (over = true),
    () => (over = true),
  );
  for (const piece of pieces) {
    if (over || request.destroyed) break;
    if (!request.write(piece)) await Promise.race([once(request, 'drain').catch(() => {}), ended]);
  }
  if (!request.destroyed) request.end();
}
