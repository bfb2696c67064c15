import { resolve } from 'node:path';
import { expect } from 'vitest';
import { figureIn } from '../../src/base/figure-in.ts';
import { inBrowser } from '../support/chromium.ts';
import { cells, viewing } from './viewing.ts';

const TRACE = resolve('test/fixtures/snapshots/training/mlp_sgd.pickle.gz');
const RUNS = ['train', 'leak'].map((name) => resolve(`test/fixtures/docs/${name}.hwz`));

inBrowser(
  'every table is sorted by a click on a head, by figures where they are figures',
  async () => {
    for (const [inputs, hash] of [
      [[TRACE], '#/what-if'],
      [RUNS, '#/compare'],
    ] as const) {
      const { page, go, errors } = await viewing(inputs);
      await go(hash);
      const tables = page.locator('main table[aria-label]');
      await tables.first().waitFor();
      await expect.poll(() => page.locator('main progress').count()).toBe(0);
      const labels = await tables.evaluateAll((all) =>
        all.map((one) => one.getAttribute('aria-label')!),
      );
      for (const label of labels) {
        const heads = page.locator(`table[aria-label="${label}"] th`);
        for (let i = 0; i < (await heads.count()); i++) {
          const head = heads.nth(i);
          if ((await head.textContent())!.trim() === '') continue;
          for (let click = 1; click <= 2; click++) {
            await head.getByRole('button').click();
            await expect.poll(() => head.getAttribute('aria-sort')).toMatch(/^(a|de)scending$/);
            const order = await head.getAttribute('aria-sort');
            if (!(await head.getAttribute('class'))?.includes('figure-cell')) continue;
            const figures = (await cells(page, label))
              .map((row) => figureIn(row[i]!.split('→')[0]!))
              .filter((figure) => figure !== null);
            const sorted = figures.toSorted((a, b) => (order === 'ascending' ? a - b : b - a));
            // Two that are told alike may stand either way round.
            expect(figures, `${label}, column ${i}, ${order}`).toEqual(sorted);
          }
        }
      }
      expect(labels.length).toBeGreaterThan(0);
      expect(errors).toEqual([]);
    }
  },
);
