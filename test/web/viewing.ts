import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { newPage, type PageOptions } from '../support/chromium.ts';
import { highwater, start } from '../support/recorder.ts';

export interface Viewing {
  readonly page: Page;
  /** Nothing may go wrong on a page: tests expect it to be empty. */
  readonly errors: string[];
  /** Opens a page of the view by its place in the address. */
  go(hash: string): Promise<void>;
}

/** `highwater view` of these inputs, in a browser, until the test is over. */
export async function viewing(inputs: readonly string[], options?: PageOptions): Promise<Viewing> {
  const { child, finished } = start(['view', '--no-open', ...inputs]);
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await finished;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      const found = /http:\S+/.exec(String(chunk));
      if (found) resolve(found[0]);
    });
    void finished.then(({ stderr }) => reject(new Error(stderr)));
  });
  const { page, errors } = await newPage(options);
  onTestFinished(() => page.close());
  await page.goto(url);
  await page
    .locator('nav a')
    .first()
    .waitFor()
    .catch(async (error: Error) => {
      const shown = await page.content();
      throw new Error([error.message, ...errors, shown.slice(0, 2000)].join('\n'), {
        cause: error,
      });
    });
  return {
    page,
    errors,
    go: (hash) => page.evaluate(`location.assign(${JSON.stringify(hash)})`),
  };
}

/** What the same question gets on the command line. */
export async function jsonAnswer<T>(argv: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await highwater([...argv, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(String(stdout)) as T;
}

/** The cells of a table by its label, without its head and foot. */
export async function cells(page: Page, label: string): Promise<string[][]> {
  const rows = page.locator(`table[aria-label="${label}"] tbody tr`);
  await rows.first().waitFor();
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
  );
}
