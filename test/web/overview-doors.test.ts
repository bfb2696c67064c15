import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { categoryPlural } from '../../src/model/allocations/words.ts';
import { endingFacts } from '../../src/views/report/ending.ts';
import { leakFacts, leakSentence } from '../../src/views/report/leak.ts';
import { inBrowser } from '../support/chromium.ts';
import { lack, python } from '../support/programs.ts';
import { place, recorded } from '../support/recorder.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

const fixture = (name: string) => resolve('test/fixtures', name);
const LEAK = fixture('docs/leak.hwz');
const NEIGHBOUR = fixture('gpu-gauntlet/neighbour.hwz');
const CARD_LEAK = fixture('snapshots/training/gpt_leak.pickle.gz');
const PIECES = fixture('snapshots/what-if/lstm_varlen.pickle.gz');

/** Three ranks, of which the second keeps 120 MiB more. */
const RANKS = `
import os, subprocess, sys, time
if "RANK" in os.environ:
    kept = bytearray(b"x") * ((120 if os.environ["RANK"] == "1" else 10) << 20)
    time.sleep(1)
else:
    ranks = [
        subprocess.Popen([sys.executable, __file__], env={**os.environ, "RANK": str(r), "WORLD_SIZE": "3"})
        for r in range(3)
    ]
    sys.exit(max(r.wait() for r in ranks))
`;
/** Iterations count on through three epochs; the last holds most, and then it crashes. */
const CRASHES = `
import sys, time
kept = []
for epoch in range(1, 4):
    print('epoch', epoch, flush=True)
    for i in range(3):
        kept.append(bytearray(6_000_000)); time.sleep(0.05)
        print('iteration', (epoch - 1) * 3 + i, flush=True)
time.sleep(0.3)
sys.exit(3)
`;
let ranks: string;
let crashed: string;
beforeAll(async () => {
  if (lack('python3')) return;
  const script = place('ranks.py');
  writeFileSync(script, RANKS);
  ranks = (await recorded([], [python(), script])).folder;
  crashed = (await recorded([], [python(), '-c', CRASHES])).folder;
});

const SCREEN = { width: 1280, height: 720 };
const tile = (page: Page, title: string) =>
  page.locator('.fact').filter({ has: page.locator('.fact-title', { hasText: title }) });
const door = (page: Page) => page.locator('[data-test=door]');

async function expectOnScreen(box: Locator): Promise<void> {
  const { x, y, width, height } = (await box.boundingBox())!;
  expect(width * height).toBeGreaterThan(0);
  expect([x >= 0, y >= 0]).toEqual([true, true]);
  expect(x + width).toBeLessThanOrEqual(SCREEN.width);
  expect(y + height).toBeLessThanOrEqual(SCREEN.height);
}

describe('cause and remedy are seen at once, of', () => {
  const situations: readonly (readonly [
    string,
    () => string,
    (report: Report) => readonly [cause: string, remedy: string],
  ])[] = [
    [
      'a leak on the host',
      () => LEAK,
      ({ leak }) => [`held by ${leak.evidence[0]!.holder}`, leak.advice[0]!],
    ],
    [
      'a leak on the card',
      () => CARD_LEAK,
      ({ devices: [device], verdict }) => [
        `live memory grows by ${formatBytes(device!.leak.requestedPerStep!)} a step`,
        verdict.fixes[0]!.what,
      ],
    ],
    [
      'memory that a neighbour held',
      () => NEIGHBOUR,
      ({ verdict }) => [
        verdict.causes[0]!.evidence[0]!.statement,
        `${verdict.fixes[0]!.what} (up to ${formatBytes(verdict.fixes[0]!.bytes!.high)} more to be had, then it runs with ${formatBytes(verdict.fixes[0]!.margin!)} to spare)`,
      ],
    ],
    [
      'memory in pieces',
      () => PIECES,
      ({ devices: [device] }) => {
        const { reservedBytes, requestedBytes, advice } = device!.fragmentation!;
        return [
          `${formatBytes(reservedBytes)} reserved for ${formatBytes(requestedBytes)} in use`,
          `With expandable_segments:True it would reserve ${formatBytes(advice[0]!.reservedBytes)} instead of`,
        ];
      },
    ],
    [
      'a rank that stands out',
      () => ranks,
      ({ ranks: { outlier } }) => [
        `Rank 1 stands out: ${formatBytes(outlier!.bytes)} of memory`,
        'let rank 1 do no more than the others',
      ],
    ],
  ];
  for (const [what, input, wanted] of situations) {
    inBrowser(what, async () => {
      const { page, errors, go } = await viewing([input()], SCREEN);
      await go('#/overview');
      const [cause, remedy] = wanted(await jsonAnswer<Report>(['report', input()]));
      const [why, advice] = [page.locator('[data-test=cause]'), page.locator('[data-test=remedy]')];
      await why.waitFor();
      expect(await why.textContent()).toContain(cause);
      expect(await advice.textContent()).toContain(remedy);
      // With the curves there, which could push them down.
      await page.locator('.overview .scene').first().waitFor();
      for (const box of [why, advice]) await expectOnScreen(box);
      expect(errors).toEqual([]);
    });
  }

  inBrowser('a rank that stands out, on the page that opens by itself', async () => {
    const { page, errors } = await viewing([ranks], SCREEN);
    const [why, advice] = [
      page.locator('[data-test=ranks-headline]'),
      page.locator('[data-test=ranks-remedy]'),
    ];
    await page.locator('.rank').first().waitFor();
    expect(await why.textContent()).toContain('Rank 1 stands out');
    for (const box of [why, advice]) await expectOnScreen(box);
    expect(errors).toEqual([]);
  });
});

describe('a card of the overview is a door', () => {
  inBrowser('from the peak to the lines that held it, and to the pages at it', async () => {
    const { page, errors } = await viewing([CARD_LEAK]);
    const { devices } = await jsonAnswer<Report>(['report', CARD_LEAK]);
    const top = devices[0]!.topStacks.filter(({ frames }) => frames.length > 0).slice(0, 5);
    await tile(page, 'Peak requested on GPU 0').click();
    await door(page).waitFor();
    expect(page.url()).toContain('show=device-peak');
    const rows = await cells(page, 'What held GPU 0 at the peak');
    expect(rows.map(([bytes, , category, where]) => [bytes, category, where])).toEqual(
      top.map(({ bytes, category, where }) => [
        formatBytes(bytes),
        categoryPlural(category),
        where,
      ]),
    );
    // The curve at that moment, with the moment on it.
    await page.locator('[data-test=door-curve] .pin-flag').waitFor();
    for (const name of ['Timeline', 'Flame graph', 'Segments', 'Allocations']) {
      await expect.poll(() => door(page).getByRole('link', { name, exact: true }).count()).toBe(1);
    }
    await door(page).getByRole('link', { name: 'Flame graph', exact: true }).click();
    await page.locator('.page-flame').waitFor();
    await page.goBack();
    await door(page).waitFor();
    expect(errors).toEqual([]);
  });

  inBrowser(
    'from a leak to culprit, rate, bound, curve and remedy, as the report has them',
    async () => {
      const { page, errors } = await viewing([LEAK]);
      const report = await jsonAnswer<Report>(['report', LEAK]);
      await tile(page, 'Leak').click();
      await door(page).waitFor();
      const text = (await door(page).textContent())!.replaceAll(/\s+/g, ' ');
      expect(text).toContain(leakSentence(report));
      const facts = leakFacts(report);
      expect(facts.map(([name]) => name)).toEqual(
        expect.arrayContaining(['kind', 'what to do', 'trend', 'at most', 'until full']),
      );
      for (const [name, value] of facts) {
        expect(text).toContain(`${name}${value}`.replaceAll(/\s+/g, ' '));
      }
      await page.locator('[data-test=door-curve] .scene').waitFor();
      expect(errors).toEqual([]);
    },
  );

  inBrowser('from memory that ran out to its cause, who held the rest, and fixes', async () => {
    const { page, errors } = await viewing([NEIGHBOUR]);
    const { devices } = await jsonAnswer<Report>(['report', NEIGHBOUR]);
    const oom = devices[0]!.oom!;
    await tile(page, 'Out of memory').click();
    await door(page).waitFor();
    const text = (await door(page).textContent())!;
    expect(text).toContain(`${formatBytes(oom.requestedBytes)} asked for`);
    for (const { category, bytes } of oom.categories) {
      expect(text).toContain(`${formatBytes(bytes)} ${categoryPlural(category)}`);
    }
    for (const { id } of oom.causes) expect(text).toContain(id);
    for (const { what, outcome, margin } of oom.fixes) {
      expect(text).toContain(what);
      expect(text).toContain(outcome);
      if (margin) expect(text).toContain(formatBytes(margin));
    }
    await page.locator('[data-test=door-curve] .pin-flag').waitFor();
    await door(page)
      .getByRole('link', { name: /^What if/ })
      .click();
    await page.locator('.page-what-if').waitFor();
    expect(errors).toEqual([]);
  });

  inBrowser('from a crash to how it ended, in the colour of an alarm', async () => {
    const { page, errors } = await viewing([crashed]);
    const report = await jsonAnswer<Report>(['report', crashed]);
    const crash = tile(page, 'Crash');
    await crash.waitFor();
    expect(await crash.getAttribute('class')).toContain('bad');
    expect(await crash.textContent()).toContain('Exit code 3');
    expect(await tile(page, 'Out of memory').textContent()).not.toContain('code');
    await crash.click();
    await door(page).waitFor();
    const text = (await door(page).textContent())!;
    for (const [name, value] of endingFacts(report)) expect(text).toContain(`${name}${value}`);
    expect(errors).toEqual([]);
  });

  inBrowser('by keyboard, in the address, with the back button and Escape', async () => {
    const { page, errors } = await viewing([LEAK]);
    const leak = tile(page, 'Leak');
    await leak.waitFor();
    await leak.focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(
      `(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
        const { door } = document.activeElement.dataset;
        return [door, outlineStyle, Number.parseFloat(outlineWidth) >= 2];
      })()`,
    );
    expect(outline).toEqual(['leak', 'solid', true]);
    await page.keyboard.press('Enter');
    await door(page).waitFor();
    expect(await leak.getAttribute('aria-expanded')).toBe('true');
    await page.reload();
    await door(page).waitFor();
    await page.keyboard.press('Escape');
    await door(page).waitFor({ state: 'detached' });
    expect(page.url()).not.toContain('show=');
    await page.goBack();
    await door(page).waitFor();
    // The card that opened it closes it too.
    await tile(page, 'Leak').click();
    await door(page).waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
  });

  inBrowser('no wider than a phone, whichever is open, in the dark too', async () => {
    const { page, errors, go } = await viewing([NEIGHBOUR], {
      width: 390,
      height: 800,
      dark: true,
    });
    const links = page.locator('.section-links a');
    await links.first().waitFor();
    const hrefs = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')!));
    expect(hrefs.length).toBeGreaterThan(6);
    for (const href of hrefs) {
      await go(href);
      await page.locator(`.section-links a[aria-current][href="${href}"]`).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth'), href).toBe(390);
    }
    expect(errors).toEqual([]);
  });
});

describe('the first screen', () => {
  inBrowser('names epoch and iteration of the peak as the marks do', async () => {
    const { page } = await viewing([crashed]);
    const peak = tile(page, 'Peak of the process tree');
    await page.locator('.overview .scene').first().waitFor();
    expect(await peak.textContent()).toMatch(/after iteration [78], epoch 3/);
  });

  inBrowser(
    'tells what was recorded, when, on which machine and card, by which version',
    async () => {
      const { page } = await viewing([NEIGHBOUR]);
      const { recording, gpus } = await jsonAnswer<Report>(['report', NEIGHBOUR]);
      const line = page.locator('[data-test=provenance]');
      await line.waitFor();
      const text = (await line.textContent())!;
      const local = await page.evaluate<string>(
        `new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' }).format(new Date('${recording.startedAt}'))`,
      );
      for (const part of [
        recording.argv.join(' '),
        local,
        recording.host.name,
        `${recording.host.cpus} processors`,
        formatBytes(recording.host.memoryBytes!),
        `${gpus[0]!.name}, ${formatBytes(gpus[0]!.memoryBytes!)}`,
        `Highwater ${recording.recorder}`,
      ]) {
        expect(text).toContain(part);
      }
    },
  );

  inBrowser('has one figure for the peak, and says how each other is counted', async () => {
    const input = fixture('gpu-gauntlet/worker_heap.hwz');
    const { page } = await viewing([input]);
    const { headline, hostPeak } = await jsonAnswer<Report>(['report', input]);
    const peak = tile(page, 'Peak of the process tree');
    await peak.waitFor();
    expect(await page.locator('h1').textContent()).toMatch(
      new RegExp(`^Peak ${formatBytes(headline!.bytes).replaceAll('.', '\\.')} at `),
    );
    expect(await page.locator('h1').textContent()).not.toContain('(');
    expect(await peak.locator('[data-bytes]').getAttribute('data-bytes')).toBe(
      String(headline!.bytes),
    );
    expect(await peak.textContent()).toContain("control group, the kernel's own figure, 1 process");
    // Of the same process by another count, which is named.
    expect(await page.locator('.account figcaption').first().textContent()).toContain(
      `${formatBytes(hostPeak.holders[0]!.atBytes)} resident`,
    );
  });

  inBrowser('has no card that says that one process held all of itself', async () => {
    const { page } = await viewing([LEAK]);
    await tile(page, 'Leak').waitFor();
    expect(await page.locator('.overview').textContent()).not.toContain('100 %');
  });
});
