import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import { type CliOptions, start } from '../support/recorder.ts';

export interface Served {
  readonly url: URL;
  readonly token: string;
  /** What was said beside the address. */
  said(): string;
}

interface ServingOptions extends CliOptions {
  /** Whose end ends it (default: the test's). */
  until?(end: () => Promise<void>): void;
}

/** `highwater view` of these inputs until the test is over, without a browser. */
export async function serving(
  inputs: readonly string[],
  { until = onTestFinished, ...options }: ServingOptions = {},
): Promise<Served> {
  const { child, finished } = start(['view', '--no-open', ...inputs], options);
  let stderr = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  until(async () => {
    child.kill('SIGTERM');
    await finished;
  });
  const url = await new Promise<URL>((resolve, reject) => {
    child.stdout!.on('data', (chunk: Buffer) => resolve(new URL(String(chunk).trim())));
    void finished.then((end) => reject(new Error(end.stderr)));
  });
  return { url, token: url.searchParams.get('token')!, said: () => stderr };
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request exactly as written: `fetch` tidies paths and forbids some headers. */
export function ask(
  { url }: Served,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port: url.port, path, method, headers },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text) => {
          body += text;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body }),
        );
      },
    );
    asked.on('error', reject).end();
  });
}
