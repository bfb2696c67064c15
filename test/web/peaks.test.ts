import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { inBrowser, newPage } from '../support/chromium.ts';
import { highwater, place } from '../support/recorder.ts';
import { jsonAnswer, viewing } from './viewing.ts';

const SNAPSHOT = resolve('test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz');
const STEPS = resolve('test/fixtures/snapshots/training/steps/cycles.pickle.gz');
const LEAKING = resolve('test/fixtures/snapshots/training/gpt_leak.pickle.gz');
const RECORDING = resolve('test/fixtures/recordings/v4.hw');
const OLDER = resolve('test/fixtures/recordings/v3.hw');

const mark = (page: Page) => page.locator('.peak-mark').first();
const labelOf = (page: Page) => mark(page).getAttribute('aria-label');

describe('the peak', () => {
  inBrowser('has value and place in every chart of a trace, as the report has them', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT]);
    const { devices } = await jsonAnswer<Report>(['report', SNAPSHOT]);
    const { peakRequestedBytes, peakMoment, peakReservedBytes } = devices[0]!;
    const words = `peak ${formatBytes(peakRequestedBytes)} · step ${peakMoment.step}, ${peakMoment.phase}`;
    for (const hash of ['#/overview', '#/timeline', '#/timeline?clock=event', '#/map']) {
      await go(hash);
      await expect.poll(() => labelOf(page), { message: hash }).toContain(words);
      // In the picture itself, too: it is saved with it.
      const texts = await page.locator('.page svg text').allTextContents();
      expect(texts, hash).toContain(words);
    }
    await go('#/what-if');
    await expect
      .poll(() => labelOf(page))
      .toContain(`peak ${formatBytes(Number(peakReservedBytes))} · event`);
    expect(errors).toEqual([]);
  });

  inBrowser('says after which iteration, where a recording has marks', async () => {
    const { page, errors, go } = await viewing([RECORDING]);
    const { peaks } = await jsonAnswer<Report>(['report', RECORDING]);
    await go('#/timeline');
    await mark(page).waitFor();
    const labels = await page
      .locator('.peak-mark')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
    for (const series of ['gpu0.used', 'tree.pss', 'host.used']) {
      const { bytes } = peaks.find((peak) => peak.series === series)!;
      expect(labels.join('\n')).toContain(`peak ${formatBytes(bytes)} · after iteration`);
    }
    await go('#/layers');
    await expect.poll(() => labelOf(page)).toMatch(/^peak .* · iteration \d+/);
    expect(errors).toEqual([]);
  });

  inBrowser('is a pixel of full colour at any zoom, at the height of the report', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT]);
    const { devices } = await jsonAnswer<Report>(['report', SNAPSHOT]);
    const { peakEvent, peakRequestedBytes, events } = devices[0]!;
    for (const half of [events, 300, 40]) {
      const [from, to] = [Math.max(0, peakEvent - half), Math.min(events - 1, peakEvent + half)];
      const zoom = half === events ? '' : `&from=${from}&to=${to}`;
      await go(`#/timeline?clock=event${zoom}`);
      await mark(page).waitFor();
      await page.waitForFunction(
        `new URLSearchParams(location.hash.split('?')[1]).get('from') === ${zoom === '' ? 'null' : `'${from}'`}`,
      );
      const drawn = await page.evaluate<Drawn>(DRAWN);
      // The top of the stack, measured against the axis, is the report's figure.
      expect(drawn.topBytes / peakRequestedBytes, `${half}`).toBeCloseTo(1, 2);
      expect(drawn.widestAtTop, `${half}`).toBeGreaterThanOrEqual(1);
      expect(drawn.opacities).toEqual([]);
    }
    expect(errors).toEqual([]);
  });

  inBrowser('opens map, flame graph and segments of its moment, and the timeline', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT]);
    const { devices } = await jsonAnswer<Report>(['report', SNAPSHOT]);
    const size = formatBytes(devices[0]!.peakRequestedBytes);
    const open = async (from: string, door: string) => {
      await go(from);
      await mark(page).click();
      await page.locator('.peak-doors').getByText(door, { exact: true }).click();
    };
    await open('#/overview', 'Flame graph');
    await page.locator('.page-flame').getByText(`${size} live at the peak`).waitFor();
    await page.goBack();
    await page.locator('.page-overview').waitFor();
    await open('#/overview', 'Segments');
    await page.locator('.page-segments').getByText('At the peak').waitFor();
    await open('#/timeline', 'Allocations');
    await page.locator('.map-canvas[data-sharp]').waitFor();
    const hash = await page.evaluate<string>('location.hash');
    const state = new URLSearchParams(hash.split('?')[1]);
    expect(Number(state.get('x0'))).toBeLessThan(devices[0]!.peakEvent);
    expect(Number(state.get('x1'))).toBeGreaterThan(devices[0]!.peakEvent);
    await open('#/map', 'Timeline');
    await page.locator('.page-timeline .pin-flag').waitFor();
    expect(await labelOf(page)).toContain(size);
    expect(errors).toEqual([]);
  });

  inBrowser(
    'has a menu for the keyboard, which Escape closes without leaving the zoom',
    async () => {
      const { page, errors, go } = await viewing([SNAPSHOT]);
      await go('#/timeline?clock=event&from=500&to=900');
      await mark(page).focus();
      await page.keyboard.press('Enter');
      await page.locator('.peak-doors a').first().waitFor();
      expect(await page.evaluate('document.activeElement.className')).toBe('peak-door');
      await page.keyboard.press('Escape');
      expect(await page.locator('.peak-doors').count()).toBe(0);
      expect(await page.evaluate<string>('location.hash')).toContain('from=500');
      expect(errors).toEqual([]);
    },
  );

  inBrowser('of runs over each other opens the timeline of its run', async () => {
    const { page, errors, go } = await viewing([RECORDING, OLDER]);
    await go('#/compare');
    await mark(page).waitFor();
    await mark(page).click();
    await page.locator('.peak-doors').getByText('Timeline', { exact: true }).click();
    await page.locator('.page-timeline .pin-flag').waitFor();
    expect(errors).toEqual([]);
  });
});

describe('a peak in a one-file report', () => {
  inBrowser('opens what the file carries of its moment, without a server', async () => {
    const file = place('report.html');
    expect((await highwater(['report', SNAPSHOT, '--html', file])).code).toBe(0);
    const { page, errors } = await newPage({ offline: true });
    for (const [door, shown] of [
      ['Allocations', '.map-canvas[data-sharp]'],
      ['Flame graph', '.page-flame .flame-page svg'],
      ['Segments', '.page-segments .map-words'],
      ['Timeline', '.page-timeline .peak-mark'],
    ] as const) {
      await page.goto(`file://${file}#/overview`);
      await mark(page).click();
      await page.locator('.peak-doors').getByText(door, { exact: true }).click();
      await page.locator(shown).first().waitFor();
    }
    await page.locator('.panels-surface').hover();
    await page.mouse.wheel(0, -300);
    await expect.poll(() => page.evaluate<string>('location.hash')).toContain('from=');
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe('peaks of two traces', () => {
  inBrowser('lead to the pages of their runs, and one zoom moves both', async () => {
    const { page, errors, go } = await viewing([SNAPSHOT, LEAKING]);
    const { devices } = await jsonAnswer<Report>(['report', LEAKING]);
    const { peakRequestedBytes, peakMoment } = devices[0]!;
    await go('#/compare');
    await page.locator('.peak-mark').nth(1).waitFor();
    const later = page.locator('[data-test="trace-1"]');
    const size = formatBytes(peakRequestedBytes);
    expect(await later.locator('.peak-mark').getAttribute('aria-label')).toContain(
      `peak ${size} · step ${peakMoment.step}, ${peakMoment.phase}`,
    );
    const curves = () =>
      page
        .locator('[data-test="trace-0"] svg.scene path')
        .evaluateAll((all) => all.map((one) => one.getAttribute('d')).join());
    const before = await curves();
    await later.locator('.plot-surface').hover();
    await page.mouse.wheel(0, -300);
    await expect.poll(() => curves().then((now) => now !== before)).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate<string>('location.hash')).not.toContain('tfrom');
    await later.locator('.peak-mark').click();
    await later.locator('.peak-doors').getByText('Flame graph', { exact: true }).click();
    await page.locator('.page-flame').getByText(`${size} live at the peak`).waitFor();
    expect(await page.evaluate<string>('location.hash')).toContain('run=1');
    expect(errors).toEqual([]);
  });
});

describe('a long trace', () => {
  inBrowser('shows the peak of each step first, and every event on zooming in', async () => {
    const { page, errors, go } = await viewing([STEPS], { width: 390 });
    const { devices } = await jsonAnswer<Report>(['report', STEPS]);
    const { peakRequestedBytes, steps } = devices[0]!;
    const texts = () => page.locator('.page-timeline svg text').allTextContents();
    await go('#/timeline?clock=event');
    await mark(page).waitFor();
    const words = await texts();
    expect(words.join()).toContain('peak of each step');
    expect(words).toContain('at the end of each step');
    const drawn = await page.evaluate<Drawn>(DRAWN);
    expect(drawn.topBytes / peakRequestedBytes).toBeCloseTo(1, 2);
    expect(drawn.widestAtTop).toBeGreaterThanOrEqual(1);
    const { startEvent, endEvent } = steps.first[2]!;
    await go(`#/timeline?clock=event&from=${startEvent}&to=${endEvent}`);
    await expect.poll(async () => (await texts()).join()).not.toContain('peak of each step');
    // The buttons that save it stand below its axis, not over its words.
    const box = (await page.locator('.page-timeline .save').boundingBox())!;
    const scene = (await page.locator('.page-timeline svg.scene').boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(scene.y + scene.height);
    expect(errors).toEqual([]);
  });
});

interface Drawn {
  /** Where the stack is highest, by the numbers of the axis. */
  readonly topBytes: number;
  /** How many pixels it is wide there. */
  readonly widestAtTop: number;
  /** Of filled paths that are not of full colour. */
  readonly opacities: string[];
}

/** Reads the picture: its filled paths, and the axis that they stand beside. */
const DRAWN = `(() => {
  const scene = document.querySelector('.page-timeline svg.scene');
  const texts = [...scene.querySelectorAll(':scope > text')];
  const unit = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
  const labels = texts.filter((one) => one.getAttribute('text-anchor') === 'end'
    && /^[\\d.,]+( [KMG]iB)?$/.test(one.textContent));
  const size = unit[/[KMG]iB/.exec(labels.map((one) => one.textContent).join())[0]];
  const ticks = labels.map((one) => ({
    bytes: Number(one.textContent.replace(/[, A-Za-z]/g, '')) * size,
    y: Number(one.getAttribute('y')) - 4,
  })).sort((a, b) => a.bytes - b.bytes);
  const [low, high] = [ticks[0], ticks.at(-1)];
  const bytesAt = (y) => low.bytes + ((low.y - y) / (low.y - high.y)) * (high.bytes - low.bytes);
  const areas = [...scene.querySelectorAll('svg path')].filter((one) => one.getAttribute('fill') !== 'none');
  const shown = scene.querySelector('svg').getAttribute('viewBox').split(' ').map(Number);
  let top = Infinity, widest = 0;
  for (const area of areas) {
    const points = area.getAttribute('d').split(/[MLZ]+/).filter(Boolean).map((one) => one.split(',').map(Number));
    for (const [i, [x, y]] of points.entries()) {
      if (x < shown[0] || x > shown[0] + shown[2]) continue;
      const next = points[i + 1];
      if (y < top - 0.01) { top = y; widest = 0; }
      if (next && Math.abs(y - top) < 0.2 && next[1] === y) widest = Math.max(widest, Math.abs(next[0] - x));
    }
  }
  return {
    topBytes: bytesAt(top),
    widestAtTop: widest,
    opacities: areas.map((one) => one.getAttribute('opacity')).filter((one) => one !== null),
  };
})()`;
