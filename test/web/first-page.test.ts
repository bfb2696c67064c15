import { describe, expect, test } from 'vitest';
import type { InputInfo, InputsInfo } from '../../src/model/inputs-info.ts';
import { firstPage } from '../../src/web/shell/first-page.ts';

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
