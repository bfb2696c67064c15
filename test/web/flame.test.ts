import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { kindName } from '../../src/model/memory-kinds.ts';
import { DARK, kindColor, LIGHT } from '../../src/views/chart/palette.ts';
import { inBrowser, newPage } from '../support/chromium.ts';
import { contrast } from '../support/color-vision.ts';
import { highwater, place } from '../support/recorder.ts';
import { jsonAnswer, viewing } from './viewing.ts';

/** With C++ frames in its stacks. */
const NATIVE = resolve('test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz');

const legend = (page: Page) => page.getByRole('group', { name: 'Categories' });
const boxes = (page: Page) => page.locator('.flame-surface svg text').allTextContents();
const arrange = (page: Page, how: string) =>
  page.getByLabel('How stacks are arranged').selectOption(how);

async function reported(): Promise<Report['devices'][number]> {
  return (await jsonAnswer<Report>(['report', NATIVE])).devices[0]!;
}

describe('the flame graph', () => {
  inBrowser('has a legend with the bytes of report, which leaves categories out', async () => {
    const { page, errors, go } = await viewing([NATIVE]);
    const { categories, peakRequestedBytes } = await reported();
    await go('#/flame');
    for (const { category, bytes } of categories) {
      const words = `${kindName(category)} ${formatBytes(bytes)}`;
      const chip = legend(page).getByRole('button', { name: words, exact: true });
      await chip.waitFor();
      const swatch = chip.locator('.swatch');
      const color = (await swatch.getAttribute('style'))!;
      expect(hex(color)).toBe(kindColor(LIGHT, category));
    }
    const [most] = categories;
    await legend(page)
      .getByRole('button', { name: kindName(most!.category) })
      .click();
    const left = formatBytes(peakRequestedBytes - most!.bytes);
    const words = page.locator('.map-words');
    await expect
      .poll(() => words.textContent())
      .toBe(`${left} of ${formatBytes(peakRequestedBytes)} live at the peak, by who made it`);
    // The address keeps it.
    await page.reload();
    await expect.poll(() => words.textContent()).toContain(`${left} of `);
    expect(errors).toEqual([]);
  });

  inBrowser('is arranged in four ways, without C++ unless it is asked for', async () => {
    const { page, errors, go } = await viewing([NATIVE]);
    await go('#/flame');
    const cpp = /::|_Py|unwind/;
    await expect.poll(async () => (await boxes(page)).length).toBeGreaterThan(3);
    for (const how of ['own', 'called', 'callees', 'modules']) {
      await arrange(page, how);
      await expect.poll(() => new URL(page.url()).hash.includes('view=')).toBe(how !== 'own');
      const shown = (await boxes(page)).filter((name) => cpp.test(name));
      expect(shown, how).toEqual([]);
    }
    await expect.poll(() => boxes(page)).toContain("the program's own code");
    await arrange(page, 'called');
    await page.getByLabel('C++ frames').check();
    await expect.poll(async () => (await boxes(page)).some((name) => cpp.test(name))).toBe(true);
    expect((await boxes(page)).some((name) => /unwind|CapturedTraceback/.test(name))).toBe(false);
    expect(errors).toEqual([]);
  });

  inBrowser('shows the stack on hover, and counts what a search finds', async () => {
    const { page, errors, go } = await viewing([NATIVE]);
    await go('#/flame');
    const surface = page.locator('.flame-surface');
    await surface.waitFor();
    const at = (await surface.boundingBox())!;
    await page.mouse.move(at.x + 40, at.y + 22 * 2 + 8);
    const tip = page.locator('.flame-tip');
    await expect.poll(() => tip.locator('li').count()).toBe(3);
    expect(await tip.textContent()).toMatch(/% of all, \d+ allocations/);
    await page.getByLabel('Search for functions and files').fill('make_truth');
    const found = page.locator('.flame-found');
    await expect
      .poll(() => found.textContent())
      .toMatch(/^“make_truth”: [\d.]+ MiB in \d+ boxes, \d+ % of what is shown$/);
    await go('#/flame?find=make_truth&zoom=0');
    // A box that the text is in: all that is shown then.
    await expect.poll(() => found.textContent()).toMatch(/, 100 % of what is shown$/);
    expect(errors).toEqual([]);
  });

  inBrowser('zooms with the wheel at the pointer, and by keys', async () => {
    const { page, errors, go } = await viewing([NATIVE]);
    await go('#/flame');
    const surface = page.locator('.flame-surface');
    await surface.waitFor();
    const hash = () => new URL(page.url()).hash;
    const at = (await surface.boundingBox())!;
    await page.mouse.move(at.x + 40, at.y + 22 * 2 + 8);
    await page.mouse.wheel(0, -120);
    await expect.poll(hash).toContain('zoom=');
    await page.mouse.wheel(0, 120);
    await expect.poll(hash).not.toContain('zoom=');
    await surface.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('d');
    await page.keyboard.press('w');
    await expect.poll(hash).toMatch(/^#\/flame.*zoom=/);
    await page.keyboard.press('s');
    await expect.poll(hash).not.toContain('zoom=');
    await page.keyboard.press('w');
    await expect.poll(hash).toContain('zoom=');
    // What is chosen first, then the zoom.
    await page.keyboard.press('Escape');
    await expect.poll(hash).not.toContain('node=');
    expect(hash()).toContain('zoom=');
    await page.keyboard.press('Escape');
    await expect.poll(hash).not.toContain('zoom=');
    expect(errors).toEqual([]);
  });

  inBrowser('does all that in one file, too', async () => {
    const file = place('flame.html');
    const { code, stderr } = await highwater(['report', NATIVE, '--html', file]);
    expect(code, stderr).toBe(0);
    const { page, errors } = await newPage({ offline: true });
    await page.goto(`file://${file}#/flame?view=modules&by=category`);
    await expect.poll(() => boxes(page)).toContain("the program's own code");
    expect(await boxes(page)).toContain('activations');
    await arrange(page, 'called');
    await page.getByLabel('C++ frames').check();
    await expect
      .poll(async () => (await boxes(page)).some((name) => name.includes('at::')))
      .toBe(true);
    expect(errors).toEqual([]);
    await page.close();
  });

  inBrowser('can be read in light and dark, and on a phone', async () => {
    for (const dark of [false, true]) {
      const { page, go } = await viewing([NATIVE], { dark, width: 390 });
      await go('#/flame');
      await expect.poll(async () => (await boxes(page)).length).toBeGreaterThan(3);
      // Each name stands on the box that was drawn last before it, at its place.
      const pairs = await page.locator('.flame-surface svg').evaluate((svg) => {
        const rects = [...svg.querySelectorAll('rect')];
        return [...svg.querySelectorAll('text')].map((text) => {
          const [x, y] = [Number(text.getAttribute('x')), Number(text.getAttribute('y'))];
          const under = rects.find((rect) => {
            const of = (name: string) => Number(rect.getAttribute(name));
            const tall = of('y') <= y && y <= of('y') + of('height');
            return of('height') > 10 && tall && of('x') <= x && x <= of('x') + of('width');
          });
          return [text.getAttribute('fill')!, under!.getAttribute('fill')!] as const;
        });
      });
      for (const [ink, ground] of pairs) {
        expect(contrast(ink, ground), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
      const strips = await page
        .locator('.flame-surface svg rect[height="4"]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('fill')!));
      expect(strips.length).toBeGreaterThan(3);
      const ground = (dark ? DARK : LIGHT).background;
      for (const fill of new Set(strips)) {
        expect(contrast(fill, ground), fill).toBeGreaterThanOrEqual(3);
      }
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(wide).toBeLessThanOrEqual(390);
    }
  });

  inBrowser('shows a heap profile: its one moment, and what two of them differ in', async () => {
    const folder = resolve('test/fixtures/formats/pprof-heap');
    const profiles = ['jax-0.10.2/memory.pb', 'go-1.26/heap.pb'].map((name) => `${folder}/${name}`);
    const { page, errors, go } = await viewing(profiles);
    await go('#/flame');
    const words = page.locator('.map-words');
    await expect
      .poll(() => words.textContent())
      .toBe('3.44 MiB in use when the profile was taken, by who made it');
    await expect.poll(async () => (await boxes(page)).join(' ')).toContain('weights');
    expect(await page.getByText('C++ frames').count()).toBe(0);
    expect(await page.getByLabel('What is counted').locator('option').allTextContents()).toEqual([
      'Live at a moment',
      'Two runs',
    ]);
    await page.getByLabel('What is counted').selectOption('runs');
    await expect.poll(() => words.textContent()).toBe('−29.5 MiB: 32.9 MiB before, 3.44 MiB now');
    await go('#/compare');
    const table = page.getByRole('table', { name: /in use by line/ });
    await expect.poll(() => table.textContent()).toContain('main.fillCache');
    expect(await page.getByText('None of the inputs').count()).toBe(0);
    expect(errors).toEqual([]);
  });
});

/** `rgb(1, 2, 3)` as `#010203`. */
const hex = (color: string) =>
  `#${[...color.matchAll(/\d+/g)].map(([part]) => Number(part).toString(16).padStart(2, '0')).join('')}`;
