import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { answer } from '../../src/views/report/answer.ts';
import { inBrowser, newPage } from '../support/chromium.ts';
import { highwater, place } from '../support/recorder.ts';
import { ask, serving } from './serving.ts';
import { cells, jsonAnswer } from './viewing.ts';

const RECORDING = resolve('test/fixtures/recordings/v4.hw');
const SNAPSHOT = resolve('test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz');

/** A folder with three recordings of different days. */
function folder(): string {
  const cwd = place('work');
  for (const [name, day] of [
    ['first', '01'],
    ['third', '03'],
    ['second', '02'],
  ] as const) {
    const path = join(cwd, 'highwater-runs', `${name}.hw`);
    mkdirSync(path, { recursive: true });
    cpSync(RECORDING, path, { recursive: true });
    const run = JSON.parse(readFileSync(join(path, 'run.json'), 'utf8'));
    const startedAt = `2026-01-${day}T10:00:00.000Z`;
    writeFileSync(join(path, 'run.json'), JSON.stringify({ ...run, name, startedAt }));
  }
  return cwd;
}

const alone = (cwd: string) => serving([], { cwd, env: { HOME: cwd, TMPDIR: cwd } });

describe('highwater view alone', () => {
  inBrowser('lists the recordings here, the newest first, and opens one by a click', async () => {
    const cwd = folder();
    const { url } = await alone(cwd);
    const { page, errors } = await newPage();
    onTestFinished(() => page.close());
    await page.goto(String(url));
    const names = async () => (await cells(page, 'recordings')).map(([name]) => name);
    expect(await names()).toEqual(['third', 'second', 'first']);
    const report = await jsonAnswer<Report>(['report', RECORDING]);
    const rows = () => cells(page, 'recordings');
    await expect
      .poll(async () => (await rows()).map(([, , , peak]) => peak))
      .toEqual(Array(3).fill(formatBytes(report.headline!.bytes)));
    for (const [, started, lasted, , verdict] of await rows()) {
      expect(started).toMatch(/^2026-01-0\d \d\d:\d\d:\d\d$/);
      expect(lasted).toMatch(/\d/);
      expect(verdict).toMatch(/\w/);
    }
    await page.getByRole('button', { name: 'Name' }).click();
    expect(await names()).toEqual(['first', 'second', 'third']);
    expect(await page.locator('th[aria-sort=ascending]').textContent()).toContain('Name');
    await page.getByRole('cell', { name: 'second', exact: true }).click();
    await page.locator('main.page-overview .headline').waitFor();
    expect(await page.locator('.headline').textContent()).toBe(answer(report));
    await expect.poll(() => page.title()).toContain('second');
    // And back, and another one.
    await page.locator('.brand').click();
    await page.getByRole('cell', { name: 'third', exact: true }).click();
    await expect.poll(() => page.title()).toContain('third');
    expect(errors).toEqual([]);
  });

  inBrowser('takes a dropped file', async () => {
    const cwd = place('empty');
    mkdirSync(cwd);
    const { url } = await alone(cwd);
    const { page, errors } = await newPage();
    onTestFinished(() => page.close());
    await page.goto(String(url));
    await page.getByText('No recordings in').waitFor();
    expect(await page.locator('main').textContent()).toContain('highwater record -- ');
    // As text: the DOM is not among the types of these tests.
    const base64 = readFileSync(SNAPSHOT).toString('base64');
    const data = await page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(base64)}), (c) => c.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'gpt.pickle.gz'));
      return transfer;
    })()`);
    await page.dispatchEvent('body', 'drop', { dataTransfer: data });
    await page.locator('main.page-overview .headline').waitFor();
    const report = await jsonAnswer<Report>(['report', SNAPSHOT]);
    expect(await page.locator('.headline').textContent()).toBe(answer(report));
    expect(errors).toEqual([]);
  });

  it('opens nothing but what it lists, and takes files from its own page only', async () => {
    const cwd = folder();
    const served = await alone(cwd);
    const known = { 'x-highwater-token': served.token };
    const open = (path: string, headers: Record<string, string> = known, method = 'POST') =>
      ask(served, `/api/open?path=${encodeURIComponent(path)}`, headers, method);
    expect((await open('/etc/passwd')).status).toBe(400);
    expect((await open('highwater-runs/../../x.hw')).status).toBe(400);
    expect((await open('highwater-runs/first.hw', {})).status).toBe(403);
    expect((await open('highwater-runs/first.hw', known, 'GET')).status).toBe(405);
    expect(JSON.parse((await open('highwater-runs/first.hw')).body)).toEqual({ run: '0' });
    expect(JSON.parse((await open('highwater-runs/first.hw')).body)).toEqual({ run: '0' });
    expect((await ask(served, '/api/take?name=x', {}, 'POST')).status).toBe(403);
    const empty = await ask(served, '/api/take?name=../../x.pickle', known, 'POST');
    const job = await ask(served, '/api/job', known);
    expect(empty.status).toBe(200);
    expect(job.body).toContain('is empty');
    expect(job.body).not.toContain('../x.pickle');
  });

  inBrowser('saves what is open as one file', async () => {
    const { url } = await serving([RECORDING]);
    const { page } = await newPage();
    onTestFinished(() => page.close());
    await page.goto(String(url));
    await page.locator('.headline').waitFor();
    await page.locator('.share summary').click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as one file' }).click(),
    ]);
    const file = place('saved.html');
    await saved.saveAs(file);
    const written = place('written.html');
    expect((await highwater(['report', RECORDING, '--html', written])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(written, 'utf8'));
  });
});
