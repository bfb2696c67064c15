import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inBrowser } from '../support/chromium.ts';
import { viewing } from './viewing.ts';

const MEMRAY = resolve('test/fixtures/formats/memray/1.20.0/train.bin');
const OLDER = resolve('test/fixtures/formats/memray/1.19.1/train.bin');
const LINES = resolve('test/fixtures/formats/tracemalloc/python-3.11/snapshot.tracemalloc');

const words = (page: Page) => page.locator('.map-words').first().textContent();
const boxes = (page: Page) => page.locator('.flame-surface svg text').allTextContents();

describe('a heap profile on the page', () => {
  inBrowser('has its lines on the overview, and a flame graph of its peak', async () => {
    const { page, errors, go } = await viewing([MEMRAY]);
    await expect.poll(() => page.locator('h1.headline').textContent()).toContain('15.9 MiB in use');
    await page.getByText('train.py:2 <listcomp>').first().waitFor();
    await go('#/flame');
    await expect.poll(() => words(page)).toBe("15.9 MiB in use at the heap's peak, by who made it");
    await expect.poll(async () => (await boxes(page)).join('\n')).toContain('scratch train.py:6');
    expect(await page.getByRole('group', { name: 'Categories' }).count()).toBe(0);
    expect(errors).toEqual([]);
  });

  inBrowser('is held against another run', async () => {
    const { page, errors, go } = await viewing([MEMRAY, OLDER]);
    await expect
      .poll(() => page.locator('.headline').first().textContent())
      .toContain('1.88 KiB more in use');
    await go('#/flame?kind=runs');
    await expect.poll(() => words(page)).toMatch(/^.1\.88 KiB: 15\.9 MiB before, 15\.9 MiB now/);
    expect(errors).toEqual([]);
  });

  inBrowser('of lines without functions shows the lines', async () => {
    const { page, errors, go } = await viewing([LINES]);
    await go('#/flame');
    await expect.poll(() => words(page)).toContain('200 KiB in use when the profile was taken');
    await expect.poll(async () => (await boxes(page)).join('\n')).toContain('tm.py:14');
    expect(errors).toEqual([]);
  });
});
