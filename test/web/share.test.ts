import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inBrowser } from '../support/chromium.ts';
import { highwater, place } from '../support/recorder.ts';
import { viewing } from './viewing.ts';

const RUN = resolve('test/fixtures/docs/train.hwz');
const OTHER = resolve('test/fixtures/docs/leak.hwz');

async function choose(page: Page, item: string): Promise<void> {
  await page.locator('.share summary').click();
  await page.getByRole('button', { name: item, exact: true }).click();
}

const told = async (argv: readonly string[]) => String((await highwater(argv)).stdout);

describe('what a page lets a reader take along', () => {
  inBrowser('is, as Markdown, what the command prints', async () => {
    const { page, go, errors } = await viewing([RUN, OTHER]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const [hash, argv] of [
      ['#/timeline?run=0', ['report', RUN, '--markdown']],
      ['#/overview?run=1', ['report', OTHER, '--markdown']],
      ['#/compare', ['compare', RUN, OTHER, '--markdown']],
    ] as const) {
      await go(hash);
      await page.locator(`main.page-${/\w+/.exec(hash)![0]}`).waitFor();
      await choose(page, 'Copy as Markdown');
      await page.getByText('Markdown copied').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()'), hash).toBe(await told(argv));
      await page.getByText('Markdown copied').waitFor({ state: 'detached' });
    }
    expect(errors).toEqual([]);
  });

  inBrowser('is a picture in the clipboard, or a file where that is refused', async () => {
    const { page, errors } = await viewing([RUN]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('.headline').waitFor();
    await choose(page, 'Copy picture');
    await page.getByText('Picture copied').waitFor();
    const [width, height] = await page.evaluate<number[]>(`(async () => {
      const [item] = await navigator.clipboard.read();
      const bitmap = await createImageBitmap(await item.getType('image/png'));
      return [bitmap.width, bitmap.height];
    })()`);
    expect(width).toBe(1920);
    expect(height).toBeGreaterThan(700);
    await page.context().clearPermissions();
    await page.evaluate('navigator.clipboard.write = () => Promise.reject(new Error("refused"))');
    const saved = page.waitForEvent('download');
    await choose(page, 'Copy picture');
    const file = place('picture.png');
    await (await saved).saveAs(file);
    expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG');
    await page.getByText('the browser does not let us copy it').waitFor();
    expect(errors).toEqual([]);
  });
});
