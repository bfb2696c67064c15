import { describe, expect, onTestFinished } from 'vitest';
import { inBrowser, newPage } from '../support/chromium.ts';
import { eachPage, SUBJECTS, settled } from './every-page.ts';
import { viewing } from './viewing.ts';

const PHONE = { width: 390, height: 844 };

/** What reaches out of the window and is not inside something that scrolls by itself. */
const OVERFLOWING = `(() => {
  const wide = document.scrollingElement.scrollWidth;
  if (wide <= innerWidth) return [];
  const out = [...document.querySelectorAll('body *')].filter((one) => {
    const { right, width } = one.getBoundingClientRect();
    return width > 0 && right > innerWidth + 1;
  });
  return [wide + ' px', ...out.slice(0, 6).map((one) => one.tagName + '.' + one.getAttribute('class'))];
})()`;

/** Names that are broken after a few letters: two lines and more in less room than a word needs. */
const BROKEN = `[...document.querySelectorAll('main td, main li, main dd, main figcaption')]
  .filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    const words = (one.textContent ?? '').split(/\\s+/).some((word) => word.length > 5);
    return words && width > 0 && width < 64 && height > 30;
  })
  .map((one) => one.textContent.slice(0, 60))`;

describe('in a window of 390 pixels', () => {
  for (const [name, inputs] of Object.entries(SUBJECTS)) {
    inBrowser(`no page of ${name} is wider than the window, and no name is broken`, async () => {
      const { page, errors } = await viewing(await inputs(), PHONE);
      const wrong: Record<string, unknown> = {};
      await eachPage(page, async (title) => {
        const overflowing = await page.evaluate<string[]>(OVERFLOWING);
        if (overflowing.length > 0) wrong[title] = overflowing;
        const broken = await page.evaluate<string[]>(BROKEN);
        if (broken.length > 0) wrong[`${title}, broken`] = broken;
        const tab = page.locator('nav a[aria-current=page]');
        const [shown, whole] = await tab.evaluate((one) => [one.clientWidth, one.scrollWidth]);
        expect(shown, `${title}: its tab`).toBe(whole);
        const box = (await tab.boundingBox())!;
        expect(box.x, `${title}: its tab`).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width, `${title}: its tab`).toBeLessThanOrEqual(PHONE.width);
      });
      expect(wrong).toEqual({});
      expect(errors).toEqual([]);
    });
  }
});

describe('in print', () => {
  inBrowser('a page keeps name and legend, loses its controls, and is light', async () => {
    const { page } = await viewing(await SUBJECTS.training!(), { dark: true, width: 800 });
    await settled(page);
    await page.emulateMedia({ media: 'print' });
    const shows = (selector: string) => page.locator(selector).first().isVisible();
    await expect.poll(() => shows('.theme-switch')).toBe(false);
    for (const control of ['nav a', '.save button', '.share summary']) {
      expect(await shows(control), control).toBe(false);
    }
    expect(await shows('.run-name')).toBe(true);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe('rgb(255, 255, 255)');
    // The picture itself is drawn anew, in the colours of paper.
    await expect
      .poll(() =>
        page.evaluate(`document.querySelector('.panels-surface text').getAttribute('fill')`),
      )
      .toMatch(/^#[0-6]/);
    await page.emulateMedia({ media: null });
    await page.locator('nav a', { hasText: 'Timeline' }).click();
    await settled(page);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.panels-surface .scene').isVisible()).toBe(true);
    const pdf = await page.pdf();
    expect(pdf.length).toBeGreaterThan(5000);
  });

  for (const name of ['recording', 'training', 'two traces', 'ranks']) {
    inBrowser(`no page of ${name} is wider than paper, and no name is broken`, async () => {
      const { page } = await viewing(await SUBJECTS[name]!(), { width: 800 });
      const wrong: Record<string, unknown> = {};
      await eachPage(page, async (title) => {
        await page.emulateMedia({ media: 'print' });
        const overflowing = await page.evaluate<string[]>(OVERFLOWING);
        const broken = await page.evaluate<string[]>(BROKEN);
        if (overflowing.length + broken.length > 0) wrong[title] = { overflowing, broken };
        await page.emulateMedia({ media: null });
      });
      expect(wrong).toEqual({});
    });
  }

  inBrowser('every page of a trace has its legend', async () => {
    const { page } = await viewing(await SUBJECTS.trace!(), { width: 800 });
    await eachPage(page, async (title) => {
      if (title !== 'Allocations') return;
      await page.emulateMedia({ media: 'print' });
      await expect.poll(() => page.locator('.map-kinds').isVisible()).toBe(true);
      await page.emulateMedia({ media: null });
    });
  });
});

inBrowser('the list of recordings fits a phone', async () => {
  const { serving } = await import('./serving.ts');
  const { url } = await serving([]);
  const { page } = await newPage(PHONE);
  onTestFinished(() => page.close());
  await page.goto(String(url));
  await settled(page);
  expect(await page.evaluate<string[]>(OVERFLOWING)).toEqual([]);
});
