import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { answer } from '../../src/views/report/answer.ts';
import { inBrowser, lackOfBrowser, newPage } from '../support/chromium.ts';
import { lack, python, where } from '../support/programs.ts';
import { place, start } from '../support/recorder.ts';
import { jsonAnswer, viewing } from './viewing.ts';

/** Grows until it is told to end, so that a busy machine cannot make it too short. */
const PROGRAM = `
import os, sys, time
kept = []
while not os.path.exists(sys.argv[1]):
    kept.append(bytearray(1_000_000)); time.sleep(0.05)
    print('iteration', len(kept), flush=True)
`;

const needed = lack('python3') ?? lackOfBrowser;

where(needed)(
  'a live run is followed, survives a reload, and ends',
  async () => {
    const [folder, stop] = [place('live.hw'), place('stop')];
    const flags = ['record', '--live', '--before', '0', '--after', '0', '-q', '-o', folder, '--'];
    const { child, finished } = start([...flags, python(), '-c', PROGRAM, stop]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const url = await new Promise<string>((found) => {
      child.stderr!.on('data', (chunk: Buffer) => {
        const told = /live at (\S+)/.exec(String(chunk));
        if (told) found(told[1]!);
      });
    });
    const { page } = await newPage();
    await page.goto(url);
    const bytes = async () =>
      Number(await page.locator('.fact-value').first().getAttribute('data-bytes'));
    await page.locator('.live').waitFor();
    await expect.poll(bytes, { timeout: 30_000 }).toBeGreaterThan(0);
    const first = await bytes();
    await expect.poll(bytes, { timeout: 30_000 }).toBeGreaterThan(first + 5e6);
    const second = await bytes();
    await page.reload();
    await expect.poll(bytes, { timeout: 30_000 }).toBeGreaterThanOrEqual(second);
    expect(await page.locator('.headline').textContent()).toContain('so far');
    // How it grows, with what may be wrong with it: never a leak before it has ended.
    const figure = (id: string) => page.locator(`[data-figure="${id}"] dd`).textContent();
    await expect.poll(() => figure('growth'), { timeout: 30_000 }).toBeTruthy();
    expect(await figure('missed')).toMatch(/^(none|\d[\d.]* %|< ?\d.*)$/);
    expect(await page.locator('main').textContent()).not.toMatch(/Leaks|left behind/);
    expect(await figure('growth')).toMatch(/^(not known yet|none so far|\+[\d.]+ \wi?B\/\w+)$/);
    writeFileSync(stop, '');
    const { code } = await finished;
    expect(code).toBe(0);
    // The page has the end of the run, although nobody serves it any more.
    const report = await jsonAnswer<Report>(['report', folder]);
    await expect.poll(() => page.locator('.headline').textContent()).toBe(answer(report));
    expect(await page.locator('.live').count()).toBe(0);
    expect(await bytes()).toBe(report.headline!.bytes);
    await expect.poll(() => page.locator('.notice').textContent()).toMatch(/^Finished\. /);
    expect(await page.getByRole('alert').count()).toBe(0);
    // Pages that nobody looked at before are there, too.
    await page.locator('nav a', { hasText: 'Timeline' }).click();
    await page.locator('.panels-surface .scene').waitFor();
    await page.locator('nav a', { hasText: 'Overview' }).click();
    await expect.poll(() => page.locator('.headline').textContent()).toBe(answer(report));
  },
  120_000,
);

inBrowser('a server that died leaves what was looked at, and says so', async () => {
  const { child, url } = await served(resolve('test/fixtures/recordings/v4.hw'));
  const { page } = await newPage();
  onTestFinished(() => page.close());
  await page.goto(url);
  const headline = await page.locator('.headline').textContent();
  await page.locator('.panels-surface').waitFor();
  child.kill('SIGKILL');
  await expect.poll(() => page.locator('.notice').textContent()).toMatch(/^Not connected\. /);
  expect(await page.locator('.headline').textContent()).toBe(headline);
  await page.locator('nav a', { hasText: 'Timeline' }).click();
  await page.locator('.panels-surface .scene').waitFor();
  await page.locator('nav a', { hasText: 'Overview' }).click();
  await expect.poll(() => page.locator('.headline').textContent()).toBe(headline);
  // What was not looked at is not there, and no empty page pretends it is.
  await page.locator('nav a', { hasText: 'Layers' }).click();
  await expect
    .poll(() => page.locator('main').textContent())
    .toContain('had not been loaded before');
});

async function served(input: string) {
  const { child } = start(['view', '--no-open', input]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = await new Promise<string>((found) => {
    child.stdout!.on('data', (chunk: Buffer) => found(/http:\S+/.exec(String(chunk))![0]));
  });
  return { child, url };
}

inBrowser('an answer that comes late does not undo what was told meanwhile', async () => {
  const { page } = await viewing([resolve('test/fixtures/formats/nvidia-smi/h200')]);
  const pages = page.locator('nav a');
  // As asked before anything was opened, and on its way until all was: seen on a busy machine.
  await page.route('**/api/job', async (route) => {
    const response = await route.fetch();
    const early = { ...((await response.json()) as object), runs: [] };
    await pages.first().waitFor();
    await route.fulfill({ response, json: early });
  });
  const answered = page.waitForEvent('requestfinished', (asked) => asked.url().includes('api/job'));
  await page.reload();
  await answered;
  await page.evaluate('new Promise((done) => setTimeout(done, 100))');
  expect(await pages.count()).toBeGreaterThan(1);
});
