import { resolve } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { inBrowser } from '../support/chromium.ts';
import { recorded } from '../support/recorder.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

const ITERATIONS = 12;
let folder: string;
beforeAll(async () => {
  const train = ['--import', import.meta.resolve('tsx'), resolve('examples/lenet/main.ts')];
  const flags = ['--iterations', ITERATIONS, '--batch', 2, '--profile', 100, '--leak'].map(String);
  const run = await recorded([], [process.execPath, ...train, ...flags]);
  expect(run.code, run.stderr).toBe(0);
  folder = run.folder;
});

describe('the page of layers', () => {
  inBrowser('shows the iteration that held most, as report does', async () => {
    const { page, errors, go } = await viewing([folder]);
    const [model] = (await jsonAnswer<Report>(['report', folder])).layers;
    await go('#/layers');
    const shown = await cells(page, 'layers');
    expect(shown.map(([name, , ...figures]) => [name, figures.at(-1)])).toEqual(
      model!.layers.map(({ layer, bytes }) => [layer || 'in no layer', formatBytes(bytes)]),
    );
    const headline = await page.locator('[data-test=layers-headline]').textContent();
    expect(headline).toContain(`Iteration ${model!.at.iteration} in epoch`);
    expect(headline).toContain(`${formatBytes(model!.peak!.bytes)} live at once`);
    for (const { kind, bytes } of model!.totals) {
      const words = { feature_map: 'activations', kept: 'kept tensors' }[kind];
      if (!words) continue;
      const chip = page.getByRole('button', { name: `${words} · ${formatBytes(bytes)}` });
      expect(await chip.count(), kind).toBe(1);
    }
    const sums = await page.locator('[data-test=three-sums]').textContent();
    const all = model!.totals.reduce((bytes, one) => bytes + one.bytes, 0);
    expect(sums).toContain(`${formatBytes(model!.peak!.bytes)}: the most that was live`);
    expect(sums).toContain(`${formatBytes(all)}: what the kinds in the chart come to`);
    // What grows is said by name: the leak was planted.
    expect(await page.locator('.alarms li').first().textContent()).toMatch(
      /^grows every iteration: kept tensors, conv1 at /,
    );
    expect(errors).toEqual([]);
  });

  inBrowser(
    'goes from iteration to iteration by slider and keys, and a reload stays there',
    async () => {
      const { page, errors, go } = await viewing([folder]);
      await go('#/layers');
      const headline = page.locator('[data-test=layers-headline]');
      await headline.waitFor();
      const conv1 = page.locator('table[aria-label=layers] tr', { hasText: /^conv1/ });
      const before = await conv1.locator('td').last().textContent();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await expect
        .poll(() => headline.textContent())
        .toContain(`Iteration ${ITERATIONS - 2} in epoch`);
      expect(await conv1.locator('td').last().textContent()).not.toBe(before);
      // A key that is held down may come twice before the page is drawn.
      await page.evaluate(`
        for (const key of ['ArrowRight', 'ArrowRight']) dispatchEvent(new KeyboardEvent('keydown', { key }));
      `);
      await expect.poll(() => headline.textContent()).toContain(`Iteration ${ITERATIONS} in epoch`);
      await page.getByRole('slider', { name: 'Iteration' }).fill('3');
      await expect.poll(() => headline.textContent()).toContain('Iteration 4 in epoch');
      await page.getByLabel('Filter layers').fill('conv');
      await page.getByRole('button', { name: 'layer', exact: true }).click();
      const shown = await cells(page, 'layers');
      expect(shown.map(([name]) => name)).toEqual(['conv1', 'conv2']);
      await page.reload();
      expect(await cells(page, 'layers')).toEqual(shown);
      expect(await headline.textContent()).toContain('Iteration 4 in epoch');
      expect(errors).toEqual([]);
    },
  );

  inBrowser('leaves a kind out, shows one layer alone, and saves the picture', async () => {
    const { page, errors, go } = await viewing([folder]);
    await go('#/layers');
    await page.getByRole('button', { name: /^kept tensors ·/ }).click();
    const heads = page.locator('table[aria-label=layers] th');
    await expect.poll(() => heads.allTextContents()).not.toContain('kept tensors');
    await page.locator('table[aria-label=layers] tr', { hasText: /^ip1/ }).click();
    await page.getByText('iteration; only ip1').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.growth-plot').getByRole('button', { name: 'SVG' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('layers-over-iterations.svg');
    expect(errors).toEqual([]);
  });
});
