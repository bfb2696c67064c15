import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { answer } from '../../src/views/report/answer.ts';
import { inBrowser, newPage } from '../support/chromium.ts';
import { highwater, place } from '../support/recorder.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

const SNAPSHOT = resolve('test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz');
const OTHER_SNAPSHOT = resolve('test/fixtures/snapshots/training/mlp_adagrad.pickle.gz');
const RECORDING = resolve('test/fixtures/recordings/v4.hw');

async function written(input: string): Promise<string> {
  const file = place('report.html');
  const { code, stderr } = await highwater(['report', input, '--html', file]);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(formatBytes(statSync(file).size));
  return file;
}

describe('the one-file report', () => {
  for (const [what, input] of [
    ['a recording', RECORDING],
    ['a snapshot', SNAPSHOT],
  ] as const) {
    inBrowser(`of ${what} opens from a disk and asks the network for nothing`, async () => {
      const file = await written(input);
      const { page, errors } = await newPage({ offline: true });
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(`file://${file}`);
      const report = await jsonAnswer<Report>(['report', input]);
      await page.locator('.headline').waitFor();
      expect(await page.locator('.headline').textContent()).toBe(answer(report));
      const pages = await page.locator('nav a').allTextContents();
      expect(pages).toEqual(expect.arrayContaining(['Overview', 'Timeline']));
      for (const name of pages) {
        await page.locator('nav').getByText(name, { exact: true }).click();
        await page.locator('.page .scene, .page canvas, .page table, .page svg').first().waitFor();
      }
      await page.goto(`file://${file}#/timeline?fit=1`);
      await page.reload();
      await page.locator('.panels-surface').waitFor();
      expect(asked.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([]);
      expect(errors).toEqual([]);
      await page.close();
    });
  }

  inBrowser('of a pair of traces has what both pages and their comparison show', async () => {
    const { page, errors } = await viewing([SNAPSHOT, OTHER_SNAPSHOT]);
    const look = async (on: Page) => {
      await on.locator('main.page-compare').waitFor();
      const categories = await cells(on, 'difference by category');
      const pictures = on.locator('.page .scene', { has: on.locator('path') });
      await expect.poll(() => pictures.count()).toBe(2);
      const tables = await on.locator('.page table').allTextContents();
      const headline = await on.locator('.headline').textContent();
      return { headline, categories, tables };
    };
    const served = await look(page);
    const saved = page.waitForEvent('download');
    await page.locator('.share summary').click();
    await page.getByRole('button', { name: 'Save as one file' }).click();
    const file = place('pair.html');
    await (await saved).saveAs(file);
    expect(errors).toEqual([]);

    const kept = await newPage({ offline: true });
    await kept.page.goto(`file://${file}`);
    expect(await look(kept.page)).toEqual(served);
    for (const name of await kept.page.locator('nav a').allTextContents()) {
      await kept.page.locator('nav').getByText(name, { exact: true }).click();
      await kept.page
        .locator('.page .scene, .page canvas, .page table, .page svg')
        .first()
        .waitFor();
    }
    expect(kept.errors).toEqual([]);
    await kept.page.close();
  });

  inBrowser('of a recording that stopped says so on every page', async () => {
    const folder = place('cut.hw');
    cpSync(RECORDING, folder, { recursive: true });
    const run = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
    const stopped = { ns: 1e9, why: 'no space left on the disk (ENOSPC)', code: 'ENOSPC' };
    writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...run, stopped }));
    const { page, errors } = await newPage({ offline: true });
    for (const [file, times] of [
      [await written(folder), 1],
      [await written(RECORDING), 0],
    ] as const) {
      await page.goto(`file://${file}#/timeline`);
      await page.reload();
      await page.locator('.panels-surface').waitFor();
      expect(await page.getByText(/^incomplete, stops at [\d.]+ s$/).count()).toBe(times);
    }
    expect(errors).toEqual([]);
    await page.close();
  });

  it('lets only its own script run', async () => {
    const text = readFileSync(await written(RECORDING), 'utf8');
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(text)![1]!;
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/);
    expect(policy).not.toContain('unsafe');
    expect(text.match(/<script(?! type="application\/octet-stream")/g)).toHaveLength(1);
  });

  it('does not replace a file unasked, and says what cannot be read', async () => {
    const file = await written(RECORDING);
    const again = await highwater(['report', RECORDING, '--html', file]);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('--force');
    const none = await highwater(['report', '/no/such/thing', '--html', place('x.html')]);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('there is no file or folder /no/such/thing');
  });
});
