import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { inBrowser, newPage } from '../support/chromium.ts';
import { highwater, place } from '../support/recorder.ts';
import { SHARED, whereShared } from '../support/shared.ts';
import { jsonAnswer, viewing } from './viewing.ts';

const LEAK = resolve('test/fixtures/snapshots/training/gpt_leak.pickle.gz');
const ADAM = resolve('test/fixtures/snapshots/mlp_adam5.pickle.gz');
const REAL = ['h200-gpt2_adamw3', 'h200-vgg19_sgd4'].map(
  (name) => `torch-snapshots/${name}.pickle.gz`,
);

const canvas = (page: Page) => page.locator('.map-canvas');
const words = (page: Page) => page.locator('.map-words');

/** Every allocation is drawn for the view that is shown. */
async function drawn(page: Page): Promise<void> {
  await page.locator('.map-canvas[data-still]').waitFor();
}

/** A place in the plot by its shares from the top left. */
async function placeAt(page: Page, x: number, y: number) {
  const box = (await canvas(page).boundingBox())!;
  return { x: box.x + x * box.width, y: box.y + y * box.height };
}

/** How many pixels of the picture differ from its commonest colour at the top left. */
async function colored(page: Page): Promise<number> {
  const script = `(() => {
    const from = document.querySelector('.map-canvas');
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [from.width, from.height];
    const context = copy.getContext('2d');
    context.drawImage(from, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
    return pixels.filter((pixel) => pixel !== pixels[0]).length / pixels.length;
  })()`;
  return page.evaluate<number>(script);
}

describe('the map of allocations', () => {
  inBrowser('shows the peak that report tells, in both orders and on both axes', async () => {
    const { page, errors, go } = await viewing([LEAK]);
    const [device] = (await jsonAnswer<Report>(['report', LEAK])).devices;
    await go('#/map');
    await drawn(page);
    const text = await words(page).textContent();
    expect(text).toContain(`${device!.events.toLocaleString('en')} events`);
    expect(text).toContain(`${formatBytes(device!.peakRequestedBytes)} requested at the peak`);
    await expect.poll(() => colored(page)).toBeGreaterThan(0.05);
    for (const name of ['By address', 'Events', 'Stacked']) {
      await page.getByRole('button', { name, exact: true }).click();
      await drawn(page);
      await expect.poll(() => colored(page), { message: name }).toBeGreaterThan(0.05);
    }
    expect(errors).toEqual([]);
  });

  inBrowser('tells all about the allocation that is clicked on', async () => {
    const { page, errors, go } = await viewing([LEAK]);
    await go('#/map?axis=events');
    await drawn(page);
    // The lowest of the stack at the right end: a parameter that stays.
    const at = await placeAt(page, 0.98, 0.995);
    await page.mouse.move(at.x, at.y);
    await page.locator('.map-tip', { hasText: 'parameter' }).waitFor();
    await page.mouse.click(at.x, at.y);
    const panel = page.getByRole('complementary', { name: 'The chosen allocation' });
    await panel.getByText('Allocated by').waitFor();
    await panel
      .getByText(/event \d/)
      .first()
      .waitFor();
    const text = (await panel.textContent())!;
    for (const part of [
      'bytes requested',
      'Category',
      'parameter',
      'Why',
      '% sure',
      'Address0x',
      'Pool',
    ]) {
      expect(text).toContain(part);
    }
    expect(await panel.locator('.frames li').count()).toBeGreaterThan(1);
    expect(await panel.getByRole('link', { name: 'open' }).first().getAttribute('href')).toMatch(
      /^vscode:\/\/file\/.*\.py:\d+$/,
    );
    await page.reload();
    await panel.getByText('Allocated by').waitFor();
    expect(errors).toEqual([]);
  });

  inBrowser('zooms, moves, filters, and a reload shows the same', async () => {
    const { page, errors, go } = await viewing([LEAK]);
    await go('#/map?axis=events');
    await drawn(page);
    const middle = await placeAt(page, 0.5, 0.5);
    await page.mouse.move(middle.x, middle.y);
    for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -120);
    await expect.poll(() => new URL(page.url()).hash).toMatch(/x0=\d+.*x1=\d+/);
    await page.mouse.down();
    await page.mouse.move(middle.x + 120, middle.y, { steps: 4 });
    await page.mouse.up();
    await page.getByLabel('Text in stack or tag').fill('attention');
    await page.getByLabel('At least this large').fill('64KiB');
    await expect
      .poll(() => words(page).textContent())
      .toMatch(/^[\d,]+ of [\d,]+ allocations shown/);
    await page.getByRole('button', { name: 'gradient' }).click();
    await expect.poll(() => new URL(page.url()).hash).toContain('kinds=');
    await drawn(page);
    const [before, hash] = [await words(page).textContent(), new URL(page.url()).hash];
    await page.reload();
    await drawn(page);
    await expect.poll(() => words(page).textContent()).toBe(before);
    expect(new URL(page.url()).hash).toBe(hash);
    await canvas(page).focus();
    await page.keyboard.press('0');
    await expect.poll(() => new URL(page.url()).hash).not.toContain('x0=');
    await page.getByLabel('At least this large').fill('lots');
    await expect
      .poll(() => page.getByLabel('At least this large').getAttribute('aria-invalid'))
      .toBe('true');
    expect(errors).toEqual([]);
  });

  inBrowser('is kept as SVG and as PNG', async () => {
    const { page, errors, go } = await viewing([ADAM]);
    await go('#/map');
    await drawn(page);
    for (const kind of ['SVG', 'PNG']) {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('.map-save').getByRole('button', { name: kind }).click(),
      ]);
      expect(file.suggestedFilename()).toBe(`mlp_adam5-map.${kind.toLowerCase()}`);
    }
    expect(errors).toEqual([]);
  });
});

describe('a one-file report', () => {
  inBrowser('has the map, the flame graph and the segments, without any network', async () => {
    const file = place('leak.html');
    const { code, stderr } = await highwater(['report', LEAK, '--html', file]);
    expect(code, stderr).toBe(0);
    const { page, errors } = await newPage({ offline: true });
    await page.goto(`file://${file}#/map`);
    await drawn(page);
    await expect.poll(() => colored(page)).toBeGreaterThan(0.05);
    await page.goto(`file://${file}#/flame`);
    await expect.poll(() => words(page).textContent()).toContain('live at the peak');
    await page.goto(`file://${file}#/segments`);
    await expect.poll(() => words(page).textContent()).toContain('At the peak');
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('real traces of a GPU', () => {
  whereShared(...REAL)('open in the map with the peaks that are known', async () => {
    const { page, errors, go } = await viewing(REAL.map((path) => `${SHARED}/${path}`));
    for (const [run, path] of REAL.entries()) {
      const [device] = (await jsonAnswer<Report>(['report', `${SHARED}/${path}`])).devices;
      await go(`#/map?run=${run}&order=address`);
      await expect
        .poll(() => words(page).textContent())
        .toContain(`${formatBytes(device!.peakRequestedBytes)} requested at the peak`);
      await drawn(page);
      await expect.poll(() => colored(page)).toBeGreaterThan(0.05);
    }
    expect(errors).toEqual([]);
  });
});
