import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect } from 'vitest';
import type { HeapSince, HeapTable } from '../../src/analyses/heap/index.ts';
import { formatBytes, formatDelta } from '../../src/base/bytes.ts';
import { type Verdict, verdictSentence } from '../../src/model/verdict.ts';
import { inBrowser } from '../support/chromium.ts';
import { place } from '../support/recorder.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

/** Two heaps of one process; between them it keeps 300 more sessions, held by one registry. */
const PROGRAM = `
const v8 = require('node:v8');
class Session { constructor(id) { this.id = id; this.steps = Array.from({ length: 50 }, (_, k) => ({ id, k })); } }
class Registry { constructor() { this.sessions = []; } }
globalThis.registry = new Registry();
const grow = (n) => { for (let i = 0; i < n; i++) registry.sessions.push(new Session(i)); };
grow(100);
v8.writeHeapSnapshot(process.argv[2]);
grow(300);
v8.writeHeapSnapshot(process.argv[3]);
`;

let [first, second] = ['', ''];
beforeAll(() => {
  const program = place('sessions.cjs');
  writeFileSync(program, PROGRAM);
  [first, second] = [place('first.heapsnapshot'), place('second.heapsnapshot')];
  const { status, stderr } = spawnSync(process.execPath, [program, first, second]);
  expect(status, String(stderr)).toBe(0);
});

const rowOf = async (page: Parameters<typeof cells>[0], label: string, kind: string) =>
  (await cells(page, label)).find(([name]) => name === kind);

describe('the page of a heap', () => {
  inBrowser(
    'tells objects apart as the command does, and walks into them',
    async () => {
      const { page, errors, go } = await viewing([second]);
      const table = await jsonAnswer<HeapTable>(['heap', second]);
      await go('#/heap');
      const shown = await cells(page, 'partition');
      expect(
        shown.slice(0, table.rows.length).map(([kind, , count, size]) => [kind, count, size]),
      ).toEqual(
        table.rows.map(({ kind, count, size }) => [
          kind,
          count.toLocaleString('en-US'),
          formatBytes(size),
        ]),
      );
      await page.getByLabel('Filter rows').fill('Session');
      await page.locator('table[aria-label=partition] tr', { hasText: /^Session/ }).click();
      const crumbs = page.getByRole('navigation', { name: 'Where in the heap' });
      await crumbs.getByText('400 objects').waitFor();
      await crumbs.getByRole('button', { name: 'Who refers to them' }).click();
      await crumbs.getByText('who refers to them').waitFor();
      await page.getByRole('button', { name: 'Shortest paths' }).click();
      await page.locator('.paths li').first().waitFor();
      expect(await page.locator('.paths li').first().textContent()).toContain('registry');
      const walked = await page.locator('.paths').textContent();
      await page.reload();
      await page.locator('.paths li').first().waitFor();
      expect(await page.locator('.paths').textContent()).toBe(walked);
      await crumbs.getByRole('button', { name: 'all objects' }).click();
      await page.getByRole('button', { name: 'What holds most' }).click();
      expect((await cells(page, 'holders')).length).toBeGreaterThan(5);
      expect(errors).toEqual([]);
    },
    60_000,
  );

  inBrowser(
    'of two opens at what grew: the later less the earlier, whichever was named first, with who holds it',
    async () => {
      const { page, errors } = await viewing([second, first]);
      type Difference = HeapSince & { readonly verdict: Verdict };
      const since = await jsonAnswer<Difference>(['heap', first, second]);
      const headline = page.locator('[data-test=since-headline]');
      await headline.waitFor();
      expect(new URL(page.url()).hash).toBe('#/heap');
      const [most] = since.containers!;
      expect(most!.place).toContain('registry.sessions');
      expect(await headline.textContent()).toBe(
        `${verdictSentence(since.verdict)} Grew most: ${most!.place}, ${formatDelta(most!.grown)}.`,
      );
      await expect
        .poll(() => page.getByText('two heaps cannot tell growth from chance').count())
        .toBe(1);
      expect((await cells(page, 'grown places')).map(([place, grown]) => [place, grown])).toEqual(
        since.containers!.map(({ place, grown, kind }) => [
          `${place}${kind === null ? '' : ` ${kind}`}`,
          formatDelta(grown),
        ]),
      );
      const shown = await cells(page, 'difference');
      // What the new ones hold comes first, not what takes most room by itself.
      expect(shown[0]!.slice(0, 2)).toEqual(['Session', '+300']);
      expect(shown[0]!.at(-1)).toContain('registry.sessions');
      expect(shown.map(([kind, , size]) => [kind, size]).sort()).toEqual(
        since.rows.map(({ kind, size }) => [kind, formatDelta(size)]).sort(),
      );
      await page.getByRole('button', { name: 'The other way round' }).click();
      await expect.poll(async () => (await rowOf(page, 'difference', 'Session'))![1]).toBe('−300');
      expect(errors).toEqual([]);
    },
    60_000,
  );

  inBrowser(
    'leads from what grew to the new objects themselves',
    async () => {
      const { page, errors, go } = await viewing([first, second]);
      await page.locator('table[aria-label=difference] tr', { hasText: /^Session/ }).click();
      await page.getByText('› new').waitFor();
      await expect.poll(async () => (await rowOf(page, 'partition', 'Session'))?.[2]).toBe('300');
      await go('#/heap?run=1&show=partition');
      await page.getByRole('button', { name: /^New since/ }).click();
      await page.getByText('› new').waitFor();
      await expect.poll(async () => (await rowOf(page, 'partition', 'Session'))?.[2]).toBe('300');
      expect(errors).toEqual([]);
    },
    60_000,
  );

  inBrowser('says what is wrong with a heap that was cut off', async () => {
    const cut = place('cut.heapsnapshot');
    writeFileSync(cut, '{"snapshot":{"meta":{"node_fields":["type","name"');
    const { page, go } = await viewing([cut]);
    await go('#/heap');
    await page.locator('.error-box').waitFor();
    expect(await page.locator('.error-box').textContent()).toMatch(/cut/);
  });
});
