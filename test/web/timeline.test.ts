import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { inBrowser } from '../support/chromium.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

const SNAPSHOT = resolve('test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz');
const RECORDING = resolve('test/fixtures/recordings/v4.hw');

const surface = (page: Page) => page.locator('.panels-surface');
/** As the page has it: `page.url()` hears of a new address a moment later. */
const stateOf = async (page: Page) =>
  new URLSearchParams((await page.evaluate<string>('location.hash')).split('?')[1] ?? '');

/** The curves, as they are on the screen. */
const drawn = (page: Page) =>
  page
    .locator('.page-timeline .scene path')
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')).join());

describe('the timeline', () => {
  inBrowser('shows exact values, zooms, and is the same after a reload', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT]);
    const { devices } = await jsonAnswer<Report>(['report', SNAPSHOT]);
    await go('#/timeline?clock=event');
    await surface(page).waitFor();
    const box = (await surface(page).boundingBox())!;
    // The plot begins right of the axis: aim at the peak's event and read what stands there.
    const [left, right] = [76, box.width - 14];
    const { peakEvent, peakRequestedBytes, events } = devices[0]!;
    const half = 40;
    await go(`#/timeline?clock=event&from=${peakEvent - half}&to=${peakEvent + half}`);
    await page.mouse.move(box.x + (left + right) / 2 + 1, box.y + 120);
    await page.locator('.values').waitFor();
    await expect
      .poll(async () => page.locator('.values-title').first().textContent())
      .toContain(formatBytes(peakRequestedBytes));
    await page.mouse.move(box.x + left + 100, box.y + 120);
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(box.x + left + 500, box.y + 120, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const zoomed = await stateOf(page);
    expect(Number(zoomed.get('to')) - Number(zoomed.get('from'))).toBeLessThan(2 * half);
    const before = await drawn(page);
    await page.reload();
    await surface(page).waitFor();
    expect((await stateOf(page)).toString()).toBe(zoomed.toString());
    await expect.poll(() => drawn(page).then((now) => now === before)).toBe(true);
    await surface(page).focus();
    await page.keyboard.press('0');
    expect((await stateOf(page)).get('from')).toBeNull();
    await page.keyboard.press('+');
    expect(Number((await stateOf(page)).get('to'))).toBeLessThan(events);
    expect(errors).toEqual([]);
  });

  inBrowser('zooms by a stretch that is selected before the next drawing', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT]);
    await go('#/timeline?clock=event');
    await surface(page).waitFor();
    await page.evaluate(`{
      const surface = document.querySelector('.panels-surface');
      const { left, top } = surface.getBoundingClientRect();
      surface.setPointerCapture = () => {};
      const at = (type, x) =>
        surface.dispatchEvent(
          new PointerEvent(type, { clientX: left + x, clientY: top + 120, shiftKey: true }),
        );
      at('pointerdown', 200);
      at('pointermove', 400);
      at('pointerup', 400);
    }`);
    expect(Number((await stateOf(page)).get('from'))).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  });

  inBrowser('compares two pinned moments', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT]);
    const { devices } = await jsonAnswer<Report>(['report', SNAPSHOT]);
    const { peakEvent, peakRequestedBytes } = devices[0]!;
    await go(`#/timeline?clock=event&a=0&b=${peakEvent}`);
    const changes = await cells(page, 'changes');
    expect(changes.find(([what]) => what === 'trace0: all together')?.[2]).toBe(
      formatBytes(peakRequestedBytes),
    );
    expect(await page.locator('.device-between p').first().textContent()).toContain('still live');
    expect(await page.locator('.pin').count()).toBe(2);
    await page.getByRole('button', { name: 'Remove pins' }).click();
    expect(await page.locator('.pin').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  inBrowser('shows every series of a recording, and is saved as a picture', async () => {
    const { page, errors, go } = await viewing([RECORDING], { dark: true });
    const { peaks } = await jsonAnswer<Report>(['report', RECORDING]);
    await go('#/timeline');
    await surface(page).waitFor();
    const label = await page.locator('.page-timeline .scene').getAttribute('aria-label');
    const host = peaks.find(({ series }) => series === 'host.used')!;
    expect(label).toContain(`Whole machine, at most ${formatBytes(host.bytes)}`);
    const [svg] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTitle('Save as SVG').click(),
    ]);
    expect(svg.suggestedFilename()).toMatch(/timeline\.svg$/);
    const [png] = await Promise.all([
      page.waitForEvent('download'),
      page.getByTitle('Save as PNG').click(),
    ]);
    expect(png.suggestedFilename()).toMatch(/timeline\.png$/);
    expect(errors).toEqual([]);
  });

  inBrowser('bears an address that makes no sense', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT]);
    await go('#/timeline?from=abc&to=1&a=NaN&clock=moon&run=99');
    await surface(page).waitFor();
    await go('#/nowhere?x=%E0%A4%A');
    await page.locator('.headline').waitFor();
    expect(errors).toEqual([]);
  });
});
