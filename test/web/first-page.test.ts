import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { firstPage } from '../../src/model/first-page.ts';
import type { InputInfo, InputsInfo } from '../../src/model/inputs-info.ts';
import { inBrowser } from '../support/chromium.ts';
import { viewing } from './viewing.ts';

const RUN: InputInfo = {
  ...{
    id: '0',
    name: 'train',
    path: 'train.hw',
    status: 'open',
    resources: ['report', 'timeline'],
  },
  ...{ error: null, progress: null, live: false, stopsAt: null, revision: 1 },
  ...{ died: false, outlier: null },
};
const run = (some: Partial<InputInfo> = {}): InputInfo => ({ ...RUN, ...some });
const of = (runs: readonly InputInfo[], resources: readonly string[] = []): InputsInfo => ({
  ...{ version: '0', live: false, leftOut: null },
  resources,
  runs,
});
/** As the page asks: of the first that is open. */
const first = (inputs: InputsInfo) =>
  firstPage(
    inputs,
    inputs.runs.find(({ status }) => status === 'open'),
  );

describe('the page that opens first', () => {
  test('of one run is the overview', () => {
    expect(first(of([run()]))).toBe('overview');
  });

  test('of several is their comparison, as soon as two can be compared', () => {
    const third = run({ status: 'opening', resources: [] });
    expect(first(of([run(), run(), third], ['compare', 'overlay']))).toBe('compare');
  });

  test('of a sweep is its table, before any of its runs is open', () => {
    const waiting = run({ status: 'waiting', resources: [] });
    expect(first(of([waiting, waiting], ['sweep']))).toBe('compare');
  });

  test('is not known before the second is open, and then need not be a comparison', () => {
    expect(first(of([run(), run({ status: 'opening', resources: [] })]))).toBeNull();
    const failed = run({ status: 'failed', resources: [], error: 'cut off' });
    expect(first(of([run(), failed]))).toBe('overview');
    expect(first(of([failed]))).toBeNull();
  });

  test('of heaps is what they hold, of a recording with heaps the overview', () => {
    expect(first(of([run({ resources: ['heap'] }), run({ resources: ['heap'] })]))).toBe('heap');
    expect(first(of([run({ resources: ['report', 'heap'] })]))).toBe('overview');
  });

  test('of a job is the rank that stands out, unless it died or none does', () => {
    const job = { resources: ['report', 'ranks'] };
    expect(first(of([run({ ...job, outlier: 3 })]))).toBe('ranks');
    expect(first(of([run({ ...job, outlier: 0 })]))).toBe('ranks');
    expect(first(of([run({ ...job, outlier: 3, died: true })]))).toBe('overview');
    expect(first(of([run(job)]))).toBe('overview');
  });
});

describe('an address', () => {
  const LOGS = resolve('test/fixtures/formats/nvidia-smi/h200');

  inBrowser('that names a page wins over what would open first', async () => {
    const { page, errors } = await viewing([LOGS]);
    await page.goto(`${page.url().split('#')[0]}#/overview`);
    await page.reload();
    await page.locator('nav a[aria-current=page]', { hasText: 'Overview' }).waitFor();
    await page.locator('.overview').waitFor();
    expect(new URL(page.url()).hash).toBe('#/overview');
    expect(errors).toEqual([]);
  });

  inBrowser('of a page that there is not says so, and leads to one', async () => {
    const { page, errors, go } = await viewing([LOGS]);
    await go('#/nonsense?run=1');
    const empty = page.locator('[data-test=no-page]');
    await empty.waitFor();
    expect(await empty.textContent()).toContain('There is no page nonsense.');
    await go('#/ranks');
    await expect.poll(() => empty.textContent()).toContain('It needs a job of several ranks');
    await go('#/%E0%A4%A');
    await expect.poll(() => empty.textContent()).toContain('There is no page');
    await empty.getByRole('link', { name: 'To the overview' }).click();
    await page.locator('.overview').waitFor();
    expect(errors).toEqual([]);
  });
});
