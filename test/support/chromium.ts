import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { countLines } from './coverage.ts';
import { afterEachFile } from './file-cleanup.ts';
import { type Declare, where } from './programs.ts';

/** Debian's; HIGHWATER_CHROMIUM names another. */
const PROGRAM = process.env.HIGHWATER_CHROMIUM ?? '/usr/bin/chromium';

/** Why there is no browser here; null where there is one. */
export const lackOfBrowser: string | null = existsSync(PROGRAM)
  ? null
  : 'needs chromium, not on this machine';

/** `it` for a test that looks at pages in a real browser. */
export const inBrowser: Declare = where(lackOfBrowser);

let browser: Promise<Browser> | undefined;
afterEachFile(async () => {
  const contexts = (await browser)?.contexts() ?? [];
  for (const page of contexts.flatMap((context) => context.pages())) await page.close();
  await (await browser)?.close();
  browser = undefined;
});

export interface PageOptions {
  readonly dark?: boolean;
  readonly offline?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/** A page of its own; what goes wrong on it is collected in `errors`. */
export async function newPage(
  options: PageOptions = {},
): Promise<{ page: Page; errors: string[] }> {
  // Root has no sandbox to offer, and tests have no GPU.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  browser ??= chromium.launch({ executablePath: PROGRAM, args });
  const { dark = false, offline = false, width = 1280, height = 800 } = options;
  const context = await (await browser).newContext({
    colorScheme: dark ? 'dark' : 'light',
    offline,
    viewport: { width, height },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await countLines(page);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return { page, errors };
}
