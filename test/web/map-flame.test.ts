import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { inBrowser } from '../support/chromium.ts';
import { pickle } from '../support/pickler.ts';
import { place } from '../support/recorder.ts';
import { jsonAnswer, viewing } from './viewing.ts';

const LEAK = resolve('test/fixtures/snapshots/training/gpt_leak.pickle.gz');
const ADAM = resolve('test/fixtures/snapshots/mlp_adam5.pickle.gz');
const OOM = resolve('test/fixtures/snapshots/training/gpt_oom.pickle.gz');
const words = (page: Page) => page.locator('.map-words');

describe('the flame graph', () => {
  inBrowser('has the bytes of the peak, searches, zooms and compares', async () => {
    const { page, errors, go } = await viewing([LEAK, ADAM]);
    const [device] = (await jsonAnswer<Report>(['report', LEAK])).devices;
    await go('#/flame');
    await words(page).waitFor();
    const peak = formatBytes(device!.peakRequestedBytes);
    expect(await words(page).textContent()).toBe(`${peak} live at the peak, by who made it`);
    await page.getByLabel('Search for functions and files').fill('forward');
    await expect
      .poll(() => page.locator('.flame-found').textContent())
      .toMatch(/^“forward”: [\d.]+ MiB in \d+ boxes, \d+ % of what is shown$/);
    const surface = page.locator('.flame-surface');
    await surface.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const chosen = page.getByRole('region', { name: 'The chosen frame' });
    expect(await chosen.textContent()).toContain('% of all');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).hash).toContain('zoom=');
    await page.getByLabel('What is counted').selectOption('change');
    await expect.poll(() => words(page).textContent()).toContain(`${peak} now`);
    await page.getByLabel('What is counted').selectOption('runs');
    const [other] = (await jsonAnswer<Report>(['report', ADAM])).devices;
    await expect
      .poll(() => words(page).textContent())
      .toContain(`${formatBytes(other!.peakRequestedBytes)} before, ${peak} now`);
    await page.getByLabel('What is counted').selectOption('allocated');
    await expect.poll(() => words(page).textContent()).toContain('allocated in the range');
    expect(errors).toEqual([]);
  });
});

describe('the segments', () => {
  inBrowser('say what report says, and a click tells what pins one', async () => {
    const { page, errors, go } = await viewing([LEAK]);
    const { fragmentation } = (await jsonAnswer<Report>(['report', LEAK])).devices[0]!;
    await go('#/segments');
    await words(page).waitFor();
    const text = (await words(page).textContent())!;
    const { reservedBytes, pinnedBytes, largestHoleBytes } = fragmentation!;
    expect(text).toContain(`${formatBytes(reservedBytes)} reserved`);
    expect(text).toContain(`${formatBytes(pinnedBytes)} are free but pinned`);
    expect(text).toContain(`the largest hole is ${formatBytes(largestHoleBytes)}`);
    const [worst] = fragmentation!.segments;
    const first = page.locator('.segment').first();
    expect(await first.textContent()).toContain(worst!.address);
    await first.locator('.segment-holder').click();
    const panel = page.getByRole('complementary', { name: 'The chosen allocation' });
    await expect
      .poll(() => panel.getByRole('heading').first().textContent())
      .toBe(formatBytes(worst!.holder.bytes));
    await page.getByLabel('After this event, or peak').fill('start');
    await expect.poll(() => words(page).textContent()).toMatch(/^Before the first event/);
    expect(errors).toEqual([]);
  });
});

describe('many segments', () => {
  inBrowser(
    'fit on a page: the first by themselves, the rest by pool with its totals',
    async () => {
      const { page, errors, go } = await viewing([OOM]);
      await go('#/segments?sort=size');
      await words(page).waitFor();
      const told = (await words(page).textContent())!;
      const segments = Number(/in (\d+) segments/.exec(told)![1]);
      expect(segments).toBeGreaterThan(30);
      const tall = await page.evaluate<number>('document.documentElement.scrollHeight');
      expect(tall).toBeLessThan(1200);
      const rows = page.locator('.segment');
      const first = await rows.count();
      const bytes = (list: readonly string[]) => list.map((text) => /: ([^,]+),/.exec(text)![1]!);
      const sizes = bytes(await rows.locator('.segment-words').allTextContents());
      expect(sizes.map(inMiB)).toEqual(sizes.map(inMiB).sort((a, b) => b - a));
      // Nothing is lost: a group says how many it holds, and shows them one by one.
      const folds = page.locator('.segment-fold');
      const totals = await folds.allTextContents();
      const inGroups = totals.map((text) => Number(/: (\d+) segments?,/.exec(text)![1]));
      expect(inGroups.reduce((sum, many) => sum + many, first)).toBe(segments);
      const [group] = inGroups;
      await folds.first().click();
      await expect.poll(() => rows.count()).toBe(first + group!);
      await page.reload();
      await expect.poll(() => rows.count()).toBe(first + group!);
      const within = page.locator('.segment-group').first().locator('.segment-words');
      const sum = bytes(await within.allTextContents()).reduce((all, one) => all + inMiB(one), 0);
      const whole = inMiB(/segments?, ([^,]+),/.exec(totals[0]!)![1]!);
      expect(Math.abs(sum - whole)).toBeLessThan(whole * 0.01);
      expect(errors).toEqual([]);
    },
  );

  inBrowser('and what pins one fit on a phone', async () => {
    const { page, errors, go } = await viewing([OOM], { width: 390 });
    await go('#/segments?row=5');
    await page.getByRole('complementary', { name: 'The chosen allocation' }).waitFor();
    await page.locator('.segment').first().waitFor();
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(390);
    expect(errors).toEqual([]);
  });
});

/** `12.0 MiB` as a number. */
function inMiB(text: string): number {
  const [number, unit] = text.split(' ');
  return Number(number) * { KiB: 1 / 1024, MiB: 1, GiB: 1024 }[unit!]!;
}

describe('hostile names', () => {
  const EVIL = `</script><img src=x onerror="document.title='caught'">\u202e\u2066`;
  const frames = [EVIL, 'x'.repeat(100_000), `"'\`\n\0`].map((name) => ({
    name,
    filename: `/tmp/${EVIL}/javascript:alert(1).py`,
    line: 3,
  }));

  function evilSnapshot(): string {
    const block = { address: 2 ** 46, size: 4096, requested_size: 4000 };
    const path = place('evil.pickle');
    const event = { addr: 2 ** 46, size: 4000, stream: 0, time_us: 5, user_metadata: EVIL };
    const snapshot = {
      segments: [
        {
          ...{ device: 0, address: 2 ** 46, total_size: 4096, stream: 0, segment_type: 'large' },
          blocks: [{ ...block, state: 'active_allocated', frames }],
        },
      ],
      device_traces: [[{ action: 'alloc', ...event, frames }]],
    };
    writeFileSync(path, pickle(snapshot));
    return path;
  }

  inBrowser('neither run nor break the layout', async () => {
    const { page, errors, go } = await viewing([evilSnapshot()]);
    for (const hash of ['#/map?row=0', '#/flame?node=2', '#/segments?row=0']) {
      await go(hash);
      await page.locator('.frames li').first().waitFor();
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(wide, hash).toBeLessThanOrEqual(1280);
    }
    const link = await page.getByRole('link', { name: 'open' }).first().getAttribute('href');
    expect(link).toMatch(/^vscode:\/\/file\/tmp\/%3C/);
    expect(await page.title()).not.toContain('caught');
    expect(await page.locator('img').count()).toBe(0);
    expect(errors).toEqual([]);
  });
});
