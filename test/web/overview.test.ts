import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { shellJoin } from '../../src/base/text.ts';
import { answer } from '../../src/views/report/answer.ts';
import { inBrowser } from '../support/chromium.ts';
import { lack, python } from '../support/programs.ts';
import { place, recorded } from '../support/recorder.ts';
import { jsonAnswer, viewing } from './viewing.ts';

const SNAPSHOT = resolve('test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz');
const PROGRAM = `
import time
kept = []
for epoch in range(2):
    print('epoch', epoch, flush=True)
    for i in range(4):
        kept.append(bytearray(8_000_000)); time.sleep(0.05)
        print('iteration', epoch * 4 + i, flush=True)
`;
let folder: string;
beforeAll(async () => {
  if (lack('python3')) return;
  folder = (await recorded([], [python(), '-c', PROGRAM])).folder;
});

const SIZE =
  'document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth';

describe('the overview', () => {
  inBrowser('says below the figures how sure it is, what would help, and what to run', async () => {
    const input = resolve('test/fixtures/docs/leak.hwz');
    const { page, errors } = await viewing([input]);
    const { verdict, recording } = await jsonAnswer<Report>(['report', input]);
    const shown = page.locator('[data-test=verdict]');
    await shown.waitFor();
    const text = (await shown.textContent())!;
    expect(text).toContain('Likely: memory grows while it runs');
    expect(text).toContain(verdict.fixes[0]!.what);
    expect(text).toContain(`highwater check --no-leak -- ${shellJoin(recording.argv)}`);
    // The headline has said its sentence.
    expect(text).not.toContain('ended well');
    expect(errors).toEqual([]);
  });

  inBrowser('is no wider than a phone, the pictures included', async () => {
    const { page } = await viewing([folder]);
    await page.setViewportSize({ width: 390, height: 800 });
    for (const hash of ['#/overview', '#/timeline']) {
      await page.evaluate(`location.hash = '${hash}'`);
      await page.locator('.scene').first().waitFor();
      await page.waitForFunction('document.querySelector(".scene").clientWidth < 390');
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
    }
  });

  inBrowser('has nothing to add to a run that went well', async () => {
    const { page } = await viewing([resolve('test/fixtures/docs/train.hwz')]);
    await page.locator('.warnings').waitFor();
    expect(await page.locator('[data-test=verdict]').count()).toBe(0);
  });

  for (const what of ['a recording', 'a snapshot'] as const) {
    inBrowser(`has the figures of report --json of ${what}, on one screen`, async () => {
      const input = what === 'a recording' ? folder : SNAPSHOT;
      const { page, errors } = await viewing([input]);
      const report = await jsonAnswer<Report>(['report', input]);
      const headline = page.locator('.headline');
      await page.locator('.overview .scene').first().waitFor();
      expect(await headline.textContent()).toBe(answer(report));
      const peak = report.headline?.bytes ?? report.devices[0]!.peakRequestedBytes;
      const fact = page.locator('.fact-value').first();
      expect(await fact.getAttribute('data-bytes')).toBe(String(peak));
      expect(await fact.textContent()).toBe(formatBytes(peak));
      const parts = await page.locator('.account').first().locator('[data-bytes]').all();
      const bytes = await Promise.all(
        parts.map(async (part) => Number(await part.getAttribute('data-bytes'))),
      );
      const wanted =
        what === 'a snapshot'
          ? report.devices[0]!.categories.map((share) => share.bytes)
          : // One process: what it had in it, instead of a bar of its own.
            report.hostPeak.holders[0]!.parts.map((part) => part.bytes);
      expect(wanted.length).toBeGreaterThan(1);
      expect(bytes).toEqual(wanted.filter((value) => value > 0).sort((a, b) => b - a));
      for (const text of report.warnings.slice(0, 3)) {
        expect(await page.locator('.warnings').textContent()).toContain(text.slice(0, 200));
      }
      expect(await page.evaluate(SIZE)).toBe(true);
      expect(errors).toEqual([]);
    });
  }

  inBrowser('says what is wrong with a file that cannot be read', async () => {
    const bad = place('bad.pickle');
    writeFileSync(bad, 'no snapshot');
    const { page } = await viewing([SNAPSHOT, bad]);
    const box = page.locator('.error-box');
    await box.waitFor();
    expect(await box.textContent()).toContain('has no pickle opcode but byte 0x6e (at byte 0)');
    await page.locator('.headline').waitFor();
  });
});
