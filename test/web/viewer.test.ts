import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { WhatIfAnswer } from '../../src/analyses/allocations/what-if/view.ts';
import { report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { UserError } from '../../src/base/errors.ts';
import { type Verdict, verdictSentence } from '../../src/model/verdict.ts';
import { isAgentFile } from '../../src/open/agent-files.ts';
import { locate } from '../../src/open/locate.ts';
import { openWithTraces } from '../../src/open/open.ts';
import { inBrowser, lackOfBrowser } from '../support/chromium.ts';
import { where } from '../support/programs.ts';
import { highwater, place } from '../support/recorder.ts';
import { SHARED, whereShared } from '../support/shared.ts';
import { answerInBrowser, filesIn, openViewer } from './viewer-files.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

/** What differs is where a file lies. */
function withoutPlace(report: unknown, path: string): unknown {
  const text = JSON.stringify(report).replaceAll(path, basename(path));
  return JSON.parse(text);
}

/** What `highwater report --json` prints; null of a file that is no recording: a text, a log of a crash alone, a heap. */
async function reportHere(path: string): Promise<unknown> {
  // A browser tells when a file was changed in whole milliseconds.
  const modified = Math.trunc(statSync(path).mtimeMs) / 1000;
  try {
    const { recording, snapshots, rankTraces } = await openWithTraces(locate(path), { modified });
    return JSON.parse(JSON.stringify(report(recording, snapshots, rankTraces)));
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

async function expectTheSame(folder: string): Promise<number> {
  const { page, errors } = await openViewer();
  let compared = 0;
  for (const path of filesIn(folder)) {
    const told = isAgentFile(path) ? null : await reportHere(path);
    if (told === null) continue;
    const { json, error } = await answerInBrowser(page, path, 'report');
    expect(error, relative(folder, path)).toBeUndefined();
    expect(withoutPlace(json, path), relative(folder, path)).toEqual(withoutPlace(told, path));
    compared++;
  }
  expect(errors).toEqual([]);
  return compared;
}

const LSTM = resolve('test/fixtures/snapshots/what-if/lstm_varlen.pickle.gz');
const [BEFORE, AFTER] = ['gpt_fused_amp', 'gpt_compiled'].map((name) =>
  resolve(`test/fixtures/snapshots/training/${name}.pickle.gz`),
) as [string, string];

/** As torch 2 writes it. */
const CUDA_OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.02 GiB is free. ' +
  'Process 4711 has 78.12 GiB memory in use. Of the allocated memory 70.00 GiB is allocated by PyTorch, and 7.50 GiB is reserved by PyTorch but unallocated.';

/** As a reader does it; the page has no other way in. */
const drop = (page: Page, ...paths: string[]) => page.setInputFiles('input[type=file]', paths);

/** The rows that the command line would print, as far as their reserved bytes. */
async function reservedBySetting(path: string): Promise<string[][]> {
  const { rows } = await jsonAnswer<WhatIfAnswer>(['what-if', path]);
  return rows.map(({ conf, reservedPeakBytes }) => [conf, formatBytes(reservedPeakBytes)]);
}

describe('the viewer without a server', () => {
  inBrowser('shows a dropped snapshot, from a disk and without a network', async () => {
    const { page, errors } = await openViewer();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await drop(page, LSTM);
    await page.locator('h1.headline').waitFor();
    expect(await page.locator('nav a').allTextContents()).toEqual([
      ...['Overview', 'Timeline', 'Allocations', 'Flame graph', 'Segments', 'What if'],
    ]);
    // The figures of `highwater what-if`, replayed on a worker of the page: the trace is long enough for one.
    await page.getByRole('link', { name: 'What if' }).click();
    const rows = await cells(page, 'settings');
    expect(rows.map((row) => row.slice(0, 2))).toEqual(await reservedBySetting(LSTM));
    expect(asked.filter((url) => !/^(blob|data):/.test(url))).toEqual([]);
    expect(errors).toEqual([]);
  });

  inBrowser('compares two that are dropped together', async () => {
    const { page, errors } = await openViewer();
    await drop(page, BEFORE, AFTER);
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.locator('main.page-compare table tbody tr').first().waitFor();
    const runs = await page.locator('select[aria-label=Run] option').allTextContents();
    expect(runs.join()).toMatch(/fused_amp.*compiled/);
    expect(errors).toEqual([]);
  });

  inBrowser('says what it cannot read, and takes another file then', async () => {
    const { page, errors } = await openViewer();
    const [text, cut] = [place('notes.txt'), place('cut.pickle.gz')];
    writeFileSync(text, 'nothing of interest\n'.repeat(40));
    writeFileSync(cut, readFileSync(LSTM).subarray(0, 4000));
    await drop(page, text);
    const box = page.locator('.error-box');
    await box.waitFor();
    expect(await box.textContent()).toMatch(
      /notes\.txt\S* is of no format that Highwater knows \(it reads packed recordings/,
    );
    await drop(page, cut);
    await page.locator('.error-box', { hasText: 'cut.pickle' }).waitFor();
    await drop(page, LSTM);
    await page.locator('h1.headline').waitFor();
    expect(await box.count()).toBe(0);
    expect(errors).toEqual([]);
  });

  inBrowser('says of a log what `report LOG` says, as the server does', async () => {
    const log = place('slurm-4711.out');
    writeFileSync(log, `epoch 1\n${CUDA_OOM}\n`);
    const { verdict } = await jsonAnswer<{ verdict: Verdict }>(['report', log]);
    const { page, errors } = await openViewer();
    await drop(page, log);
    const served = await viewing([log]);
    for (const { locator } of [page, served.page].map((one) => ({
      locator: one.locator('main'),
    }))) {
      await locator.locator('h1.headline').waitFor();
      expect(await locator.locator('h1.headline').textContent()).toBe(verdictSentence(verdict));
      expect(await locator.textContent()).toMatch(/What was said.*Figures.*What to do/);
      expect(await locator.textContent()).not.toContain('Also in this text');
    }
    expect([...errors, ...served.errors]).toEqual([]);
  });

  it('is written by view --viewer, once', async () => {
    const file = place('viewer.html');
    const written = await highwater(['view', '--viewer', file]);
    expect(written).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(readFileSync('dist/highwater-viewer.html', 'utf8'));
    const again = await highwater(['view', '--viewer', file]);
    expect(again.stderr).toMatch(/exists already .*--force/);
    const withInput = await highwater(['view', '--viewer', file, LSTM]);
    expect(withInput.stderr).toMatch(/takes no inputs \(report RECORDING --html FILE/);
    expect([again.code, withInput.code]).toEqual([2, 2]);
  });

  inBrowser(
    'says of every fixture what the command line says',
    async () => {
      expect(await expectTheSame(resolve('test/fixtures'))).toBeGreaterThan(80);
    },
    600_000,
  );

  const shared = lackOfBrowser ? where(lackOfBrowser) : whereShared('torch-snapshots');
  shared(
    'says of all shared data what the command line says',
    async () => {
      expect(await expectTheSame(SHARED)).toBeGreaterThan(25);
    },
    600_000,
  );
});
