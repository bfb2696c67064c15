import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { inBrowser } from '../support/chromium.ts';
import { viewing } from './viewing.ts';

const SNAPSHOT = resolve('test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz');
const RECORDING = resolve('test/fixtures/recordings/v4.hw');
const OLDER = resolve('test/fixtures/recordings/v3.hw');

/** Every chart that can be zoomed: where it is, what is handled, what of the address it is, and what is near on its axis. */
const CHARTS = [
  {
    hash: '#/timeline?clock=event',
    surface: '.panels-surface',
    ...{ low: 'from', high: 'to', near: 200 },
  },
  { hash: '#/overview', surface: '.panels-surface', low: 'from', high: 'to', near: 0.02 },
  { hash: '#/what-if', surface: '.plot-surface', low: 'from', high: 'to', near: 200 },
  { hash: '#/map?axis=events', surface: '.map-canvas', low: 'x0', high: 'x1', near: 200 },
] as const;
const COMPARED = {
  hash: '#/compare',
  surface: '.overlay-plot .plot-surface',
  ...{ low: 'from', high: 'to', near: 0.1 },
} as const;

const stateOf = async (page: Page) =>
  new URLSearchParams((await page.evaluate<string>('location.hash')).split('?')[1] ?? '');

/** What the address says of the stretch that is looked at; null: all of it. */
const stretchIn = async (page: Page, { low, high }: { low: string; high: string }) => {
  const state = await stateOf(page);
  const ends = [state.get(low), state.get(high)];
  return ends.every((end) => end === null) ? null : ends.map(Number);
};

/** The middle of a chart, once it can be handled. */
async function middleOf(page: Page, surface: string): Promise<{ x: number; y: number }> {
  const chart = page.locator(surface).first();
  await chart.scrollIntoViewIfNeeded();
  // The map says by itself when it is drawn.
  if (surface === '.map-canvas') await page.locator('.map-canvas[data-sharp]').waitFor();
  await page.locator('.peak-mark').first().waitFor();
  const box = (await chart.boundingBox())!;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(page: Page, from: { x: number; y: number }, by: number): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + by, from.y, { steps: 4 });
  await page.mouse.up();
}

const widthOf = (stretch: number[] | null) => stretch && stretch[1]! - stretch[0]!;

describe('the same hands on every chart', () => {
  for (const chart of [...CHARTS, COMPARED]) {
    inBrowser(`zoom, move and go back on ${chart.hash}`, async () => {
      const { page, errors, go } = await viewing(
        chart === COMPARED ? [RECORDING, OLDER] : [SNAPSHOT],
      );
      const stretch = () => stretchIn(page, chart);
      const settled = () => expect.poll(stretch);
      await go(chart.hash);
      const middle = await middleOf(page, chart.surface);

      await page.mouse.move(middle.x, middle.y);
      for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -120);
      await settled().not.toBeNull();
      // At rest: the address follows what is seen.
      await expect.poll(async () => (widthOf(await stretch()) ?? 1e9) < chart.near).toBe(true);
      const near = (await stretch())!;

      await drag(page, middle, -150);
      await expect.poll(async () => (await stretch())![0]! > near[0]!).toBe(true);
      const moved = (await stretch())!;
      expect(widthOf(moved)! / widthOf(near)!).toBeCloseTo(1, 3);

      await page.locator(chart.surface).first().focus();
      await page.keyboard.press('a');
      await expect.poll(async () => (await stretch())![0]! < moved[0]!).toBe(true);
      await page.keyboard.press('d');
      await page.keyboard.press('w');
      await expect.poll(async () => widthOf(await stretch())! < widthOf(moved)! * 0.8).toBe(true);
      expect(new URL(page.url()).hash).toContain(chart.hash.split('?')[0]);
      await page.keyboard.press('s');
      await page.keyboard.press('ArrowDown');
      await expect.poll(async () => widthOf(await stretch())! > widthOf(moved)! * 1.1).toBe(true);

      await page.keyboard.press('Escape');
      await settled().toBeNull();
      await page.goBack();
      await settled().not.toBeNull();
      await page.mouse.dblclick(middle.x, middle.y + 10);
      if (chart.hash !== '#/overview') await settled().toBeNull();
      expect(errors).toEqual([]);
    });
  }

  inBrowser(
    'a stretch that is selected is zoomed to; on the overview it opens the timeline',
    async () => {
      const { page, errors, go } = await viewing([SNAPSHOT]);
      for (const chart of CHARTS) {
        await go(chart.hash);
        const middle = await middleOf(page, chart.surface);
        await page.keyboard.down('Shift');
        await drag(page, middle, 120);
        await page.keyboard.up('Shift');
        await expect.poll(() => stretchIn(page, chart)).not.toBeNull();
        const onTimeline = (await page.evaluate<string>('location.hash')).startsWith('#/timeline');
        expect(onTimeline).toBe(/timeline|overview/.test(chart.hash));
        await page.goBack();
        await expect.poll(() => stretchIn(page, chart)).toBeNull();
      }
      expect(errors).toEqual([]);
    },
  );

  inBrowser('the wheel is the page’s where there is nothing left to zoom out of', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT], { height: 420 });
    await go('#/what-if');
    const middle = await middleOf(page, '.plot-surface');
    await page.evaluate('scrollTo(0, 0)');
    const box = (await page.locator('.plot-surface').boundingBox())!;
    const at = { x: middle.x, y: Math.min(box.y + 40, 400) };
    await page.mouse.move(at.x, at.y);
    await page.mouse.wheel(0, 200);
    await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(0);
    expect(await stretchIn(page, { low: 'from', high: 'to' })).toBeNull();
    // Into the picture it is the picture's, and the page stays where it is.
    const before = await page.evaluate<number>('scrollY');
    const now = (await page.locator('.plot-surface').boundingBox())!;
    await page.mouse.move(at.x, Math.max(60, now.y + 60));
    await page.mouse.wheel(0, -200);
    await expect.poll(() => stretchIn(page, { low: 'from', high: 'to' })).not.toBeNull();
    expect(await page.evaluate<number>('scrollY')).toBe(before);
    expect(errors).toEqual([]);
  });

  inBrowser('two fingers zoom, and one scrolls a page of 390 px', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT], { width: 390 });
    for (const chart of CHARTS) {
      await go(chart.hash);
      await middleOf(page, chart.surface);
      const action = `getComputedStyle(document.querySelector('${chart.surface}')).touchAction`;
      expect(await page.evaluate(action), chart.hash).toBe('pan-y');
      await page.evaluate(`{
        const surface = document.querySelector('${chart.surface}');
        const { left, top, width, height } = surface.getBoundingClientRect();
        surface.setPointerCapture = () => {};
        const finger = (type, pointerId, share) =>
          surface.dispatchEvent(new PointerEvent(type, {
            bubbles: true, pointerId, pointerType: 'touch',
            clientX: left + share * width, clientY: top + height / 2,
          }));
        finger('pointerdown', 11, 0.5);
        finger('pointerdown', 12, 0.6);
        finger('pointermove', 11, 0.35);
        finger('pointermove', 12, 0.75);
        finger('pointerup', 11, 0.35);
        finger('pointerup', 12, 0.75);
      }`);
      await expect.poll(() => stretchIn(page, chart), { message: chart.hash }).not.toBeNull();
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(wide).toBeLessThanOrEqual(390);
    }
    expect(errors).toEqual([]);
  });

  inBrowser(
    'the question mark lists all gestures, keys and pages, and Escape closes it',
    async () => {
      const { page, errors, go } = await viewing([RECORDING]);
      await go('#/timeline');
      await page.locator('.panels-surface').waitFor();
      await page.keyboard.press('?');
      const help = page.locator('dialog.help[open]');
      await help.waitFor();
      const words = await help.textContent();
      for (const expected of [
        'shift + drag',
        'wheel',
        'double click',
        'Esc',
        'Layers',
        'Timeline',
      ]) {
        expect(words).toContain(expected);
      }
      // Pages that this run has none of are not promised.
      expect(words).not.toContain('Compare');
      for (let i = 0; i < 5; i++) {
        await page.keyboard.press('Tab');
        const place = `document.activeElement.closest('dialog') !== null || document.activeElement === document.body`;
        expect(await page.evaluate(place)).toBe(true);
      }
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'hidden' });
      expect(await page.evaluate<string>('location.hash')).toBe('#/timeline');
      await page.getByRole('button', { name: 'All gestures and keys' }).click();
      await help.waitFor();
      await page.keyboard.press('l');
      await page.locator('.page-layers').waitFor();
      await help.waitFor({ state: 'hidden' });
      expect(errors).toEqual([]);
    },
  );

  inBrowser('Escape takes away pins before the zoom, and a double click pins nothing', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT]);
    await go('#/timeline?clock=event&from=100&to=900&a=200');
    await page.locator('.pin-flag').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await stateOf(page)).get('a')).toBeNull();
    expect((await stateOf(page)).get('from')).toBe('100');
    const middle = await middleOf(page, '.panels-surface');
    await page.mouse.dblclick(middle.x, middle.y);
    await expect.poll(async () => (await stateOf(page)).toString()).toBe('clock=event');
    expect(errors).toEqual([]);
  });
});
