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
    writeFileSync(stop, '');
    const { code } = await finished;
    expect(code).toBe(0);
    // The page has the end of the run, although nobody serves it any more.
    const report = await jsonAnswer<Report>(['report', folder]);
    await expect.poll(() => page.locator('.headline').textContent()).toBe(answer(report));
    expect(await page.locator('.live').count()).toBe(0);
    expect(await bytes()).toBe(report.headline!.bytes);
  },
  120_000,
);

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
