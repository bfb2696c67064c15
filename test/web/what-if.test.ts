import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { WhatIfProgress } from '../../src/analyses/allocations/what-if/progress.ts';
import type { WhatIfAnswer, WhatIfView } from '../../src/analyses/allocations/what-if/view.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { type Columns, decodeColumns } from '../../src/model/columns.ts';
import { verdictSentence } from '../../src/model/verdict.ts';
import { inBrowser, newPage } from '../support/chromium.ts';
import { type Plain, pickle } from '../support/pickler.ts';
import { highwater, place } from '../support/recorder.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

const LSTM = resolve('test/fixtures/snapshots/what-if/lstm_varlen.pickle.gz');
const STREAMS = resolve('test/fixtures/snapshots/what-if/streams.pickle.gz');
const OOM = resolve('test/fixtures/snapshots/training/gpt_oom.pickle.gz');
const RECORDING = resolve('test/fixtures/recordings/v4.hw');

const answerOf = (...argv: string[]) => jsonAnswer<WhatIfAnswer>(['what-if', ...argv]);
const headline = (page: Page) => page.locator('[data-test=what-if-headline]');
const picture = (page: Page) => page.locator('[data-test=what-if-curves] svg.scene');
const setLine = (page: Page) => page.locator('[data-test=set-line]');
const rowOf = (page: Page, conf: string) =>
  page.locator('table[aria-label=settings] tbody tr').filter({ hasText: conf }).first();

/** The answer as the page got it. */
async function viewOf(page: Page, query = ''): Promise<Columns<WhatIfView>> {
  const bytes = await page.evaluate<number[]>(
    `fetch('api/run/0/what-if${query}').then((answer) => answer.arrayBuffer()).then((all) => [...new Uint8Array(all)])`,
  );
  return decodeColumns<WhatIfView>(Uint8Array.from(bytes));
}

/** What the server says to a question that it does not answer. */
const refusalOf = (page: Page, query: string) =>
  page.evaluate<string>(`fetch('api/run/0/what-if${query}').then((answer) => answer.text())`);

const sorted = (rows: readonly string[][]) => [...rows].sort((a, b) => (a[0]! < b[0]! ? -1 : 1));

/** The columns that the command line's figures make, but for the outcome. */
const figuresOf = ({ rows }: WhatIfAnswer) =>
  rows.map((row) => [
    row.conf,
    formatBytes(row.reservedPeakBytes),
    row.savingBytes === null
      ? ''
      : row.savingBytes === 0
        ? '0'
        : `${row.savingBytes < 0 ? '−' : ''}${formatBytes(Math.abs(row.savingBytes))}`,
    `${formatBytes(row.fragmentationBytes)} (${Math.round((100 * row.fragmentationBytes) / row.reservedPeakBytes)} %)`,
    String(row.deviceAllocs),
    String(row.retries),
  ]);

/** Requests of many sizes, of which each lives a while: most of what is replayed is a search for room. */
function longTrace(requests: number) {
  const event = { stream: 0, time_us: 5, frames: [] };
  const live: { addr: number; size: number }[] = [];
  const trace: Plain[] = [];
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let i = 0; i < requests; i++) {
    const block = { addr: 2 ** 46 + i * 2 ** 26, size: 512 * (1 + random(60_000)) };
    trace.push({ action: 'alloc', ...block, ...event });
    live.push(block);
    if (live.length < 2000) continue;
    const [freed] = live.splice(random(live.length), 1);
    trace.push({ action: 'free_requested', ...freed!, ...event });
    trace.push({ action: 'free_completed', ...freed!, ...event });
  }
  return { segments: [], device_traces: [trace] };
}

describe('what if', () => {
  inBrowser('has the figures of the command line, and a curve for each row', async () => {
    const { page, errors } = await viewing([LSTM]);
    const answer = await answerOf(LSTM);
    await page.keyboard.press('w');
    await headline(page).waitFor();
    expect(await page.locator('nav a').allTextContents()).toContain('What if');
    expect(await headline(page).textContent()).toBe(verdictSentence(answer.verdict));
    const table = await cells(page, 'settings');
    expect(table.map((row) => row.slice(0, -1))).toEqual(figuresOf(answer));
    expect(table.map((row) => row.at(-1))).toEqual([
      '',
      '',
      'as recorded',
      ...Array(3).fill('worse'),
    ]);
    expect(await setLine(page).textContent()).toBe(
      'export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True',
    );
    const view = await viewOf(page);
    expect(view.header.answer.rows).toEqual(answer.rows);
    expect(Math.max(...view.f64('recorded.reserved'))).toBe(answer.recorded.reservedPeakBytes);
    for (const [place, row] of answer.rows.entries()) {
      expect(Math.max(...view.f64(`${place}.reserved`))).toBe(row.reservedPeakBytes);
      await rowOf(page, row.conf).click();
      await expect
        .poll(() => picture(page).textContent())
        .toContain(`at most ${formatBytes(row.reservedPeakBytes)}`);
      expect(await rowOf(page, row.conf).getAttribute('aria-selected')).toBe('true');
    }
    expect(new URL(page.url()).hash).toContain('row=');
    expect(errors).toEqual([]);
  });

  inBrowser('tries other settings, says in one line what is wrong, and loses nothing', async () => {
    const { page, errors, go } = await viewing([LSTM]);
    await go('#/what-if');
    await headline(page).waitFor();
    const usual = await cells(page, 'settings');
    const field = page.getByLabel('Other settings');
    await field.fill('speed:11');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('speed');
    expect(await field.inputValue()).toBe('speed:11');
    expect(await cells(page, 'settings')).toEqual(usual);
    const graded = 'roundup_power2_divisions:[256:1,512:2,>:4]';
    await field.fill(graded);
    await page.getByRole('button', { name: 'Try' }).click();
    await rowOf(page, graded).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const { rows } = await answerOf(LSTM, '--set', graded);
    const shown = (await cells(page, 'settings')).find(([conf]) => conf === graded)!;
    expect(shown[1]).toBe(formatBytes(rows[0]!.reservedPeakBytes));
    // A shell would take brackets and > for something else.
    await expect
      .poll(() => setLine(page).textContent())
      .toBe(`export PYTORCH_CUDA_ALLOC_CONF='${graded}'`);
    await page.reload();
    await rowOf(page, graded).waitFor();
    expect(await rowOf(page, graded).getAttribute('aria-selected')).toBe('true');
    await page.getByTitle(`Leave out ${graded}`).click();
    await expect.poll(() => cells(page, 'settings')).toEqual(usual);
    const many = Array.from({ length: 21 }, (_, i) => `max_split_size_mb:${i + 20}`).join(';');
    await go(`#/what-if?set=${encodeURIComponent(many)}`);
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('at most 20');
    await go('#/what-if?set=speed%3A11&card=Z9000');
    await expect.poll(() => page.getByRole('alert').count()).toBe(2);
    expect(await cells(page, 'settings')).toEqual(usual);
    // The browser says of each answer that it was a refusal.
    expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  });

  inBrowser('says on which card it runs, with how many retries, and where it dies', async () => {
    const { page, errors, go } = await viewing([LSTM]);
    await go('#/what-if');
    await headline(page).waitFor();
    const field = page.getByLabel('On a card');
    await field.fill('2GiB');
    await page.keyboard.press('Enter');
    const answer = await answerOf(LSTM, '--card', '2GiB');
    await expect.poll(() => headline(page).textContent()).toBe(verdictSentence(answer.verdict));
    const table = await cells(page, 'settings');
    expect(table.map((row) => row.slice(0, -1))).toEqual(figuresOf(answer));
    for (const [place, { outcome, retries, diesAt }] of answer.rows.entries()) {
      const words = table[place]!.at(-1);
      if (outcome === 'runs') expect(words).toBe(`runs with ${retries} retries`);
      else expect(words).toMatch(new RegExp(`^DIES in step ${diesAt!.moment.step} `));
    }
    const view = await viewOf(page, '?card=2GiB');
    for (const [place, row] of answer.rows.entries()) {
      expect(Math.max(...view.f64(`${place}.reserved`))).toBe(row.reservedPeakBytes);
      expect(view.u32(`${place}.retries`).reduce((sum, one) => sum + one, 0)).toBe(row.retries);
    }
    await rowOf(page, 'default').click();
    await expect.poll(() => picture(page).textContent()).toContain('dies in step 6');
    const limit = formatBytes(answer.card!.usableBytes);
    expect(await picture(page).textContent()).toContain(`left for torch on 2GiB: ${limit}`);
    expect(await setLine(page).count()).toBe(0);
    await field.fill('Z9000');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('no card is known');
    // Nothing is left beside the context: that only the answer can know.
    await field.fill('300MiB');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('nothing of 300MiB');
    expect(await cells(page, 'settings')).toEqual(table);
    await field.fill('A100-80');
    await page.keyboard.press('Enter');
    await expect.poll(() => headline(page).textContent()).toBe('On the A100-80 it would run.');
    // The browser says of each answer that it was a refusal.
    expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  });

  inBrowser(
    'takes a limit, and what is not torch’s of a card, as the command line does',
    async () => {
      const { page, errors, go } = await viewing([LSTM]);
      await go('#/what-if');
      await headline(page).waitFor();
      const usual = await cells(page, 'settings');
      const [limit, card] = [page.getByLabel('Within a limit'), page.getByLabel('On a card')];
      const other = page.getByLabel('Other memory of the card');
      expect(await other.isDisabled()).toBe(true);
      await limit.fill('1.6GiB');
      await page.keyboard.press('Enter');
      const sets = usual.flatMap(([conf]) => ['--set', conf!]);
      const within = await answerOf(LSTM, '--limit', '1.6GiB', ...sets);
      await expect.poll(() => headline(page).textContent()).toBe(verdictSentence(within.verdict));
      const shown = (await cells(page, 'settings')).map((row) => row.slice(0, -1));
      expect(sorted(shown)).toEqual(sorted(figuresOf(within)));
      await rowOf(page, 'default').click();
      await expect.poll(() => picture(page).textContent()).toContain('limit: 1.60 GiB');
      expect(await picture(page).textContent()).toContain('dies in step 6');
      // Each of these is one line below its field, and changes nothing else.
      for (const [wrong, why] of [
        ['much', "'much' is not a size: write it as"],
        ['20', 'a limit of 20 is too small: write it as 20GiB'],
      ] as const) {
        await limit.fill(wrong);
        await page.keyboard.press('Enter');
        await expect
          .poll(() => page.getByRole('alert').allTextContents())
          .toEqual([expect.stringContaining(why)]);
        expect(await limit.getAttribute('aria-invalid')).toBe('true');
      }
      expect(sorted((await cells(page, 'settings')).map((row) => row.slice(0, -1)))).toEqual(
        sorted(shown),
      );
      await limit.fill('');
      await page.keyboard.press('Enter');
      await expect.poll(() => cells(page, 'settings')).toEqual(usual);
      await card.fill('2GiB');
      await page.keyboard.press('Enter');
      await expect.poll(() => other.getAttribute('placeholder')).toBe('512 MiB, assumed');
      await other.fill('300MiB');
      await page.keyboard.press('Enter');
      const given = await answerOf(LSTM, '--card', '2GiB', '--context', '300MiB');
      await expect.poll(() => headline(page).textContent()).toBe(verdictSentence(given.verdict));
      expect((await cells(page, 'settings')).map((row) => row.slice(0, -1))).toEqual(
        figuresOf(given),
      );
      const notes = page.getByRole('list', { name: 'Notes' });
      expect(await notes.textContent()).toContain('less 300 MiB for the context and libraries');
      await limit.fill('1GiB');
      await page.keyboard.press('Enter');
      await expect
        .poll(() => page.getByRole('alert').allTextContents())
        .toEqual(['a card or a limit, not both: empty one of them']);
      await page.reload();
      await expect.poll(() => headline(page).textContent()).toBe(verdictSentence(given.verdict));
      expect(await other.inputValue()).toBe('300MiB');
      expect(errors).toEqual([]);
      // Who asks the server itself is told the same.
      expect(await refusalOf(page, '?card=2GiB&limit=1GiB')).toBe('a card or a limit, not both');
      expect(await refusalOf(page, '?context=1GiB')).toBe('a context needs a card');
      expect(await refusalOf(page, '?limit=-3GiB')).toContain('not a size');
    },
  );

  inBrowser(
    'looks for the smallest limit, by the keyboard alone, in a window of 420 px',
    async () => {
      const { page, errors, go } = await viewing([LSTM], { width: 420 });
      await go('#/what-if');
      await headline(page).waitFor();
      const tab = page.locator('nav a[aria-current=page]');
      expect(await tab.textContent()).toBe('What if');
      const [seen, whole] = await Promise.all([
        tab.boundingBox(),
        page.locator('nav').boundingBox(),
      ]);
      expect(seen!.x).toBeGreaterThanOrEqual(whole!.x);
      expect(seen!.x + seen!.width).toBeLessThanOrEqual(Math.min(420, whole!.x + whole!.width));
      await page.getByLabel('Within a limit').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      const smallest = page.getByLabel('Find the smallest limit');
      expect(await smallest.isChecked()).toBe(true);
      const answer = await answerOf(LSTM, '--smallest');
      const words = answer.rows.map((row) => {
        const { bytes, retries } = row.smallest!;
        const times = retries === 1 ? '1 retry' : `${retries} retries`;
        return retries > 0 ? `${formatBytes(bytes)} (${times})` : formatBytes(bytes);
      });
      await expect
        .poll(async () => (await cells(page, 'settings')).map((row) => row.at(-2)))
        .toEqual(words);
      expect(new URL(page.url()).hash).toContain('smallest=1');
      for (const name of [
        'Other settings',
        'On a card',
        'Other memory of the card',
        'Within a limit',
      ]) {
        const box = (await page.getByLabel(name).boundingBox())!;
        expect(box.x + box.width).toBeLessThanOrEqual(404);
      }
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(wide).toBeLessThanOrEqual(420);
      expect(errors).toEqual([]);
    },
  );

  inBrowser(
    'tells how far the replay of a long trace is, and begins nothing more when it is given up',
    async () => {
      const path = place('long.pickle');
      writeFileSync(path, pickle(longTrace(30_000)));
      const { page, errors, go } = await viewing([path]);
      const { header } = await viewOf(page);
      const rows = header.answer.rows.length;
      await go('#/what-if?smallest=1');
      const words = page.locator('.progress');
      await expect
        .poll(() => words.textContent())
        .toMatch(/ \(\d of \d\), smallest limit, try \d: \d+ % of 86,002 events/);
      const told = await page.evaluate<(WhatIfProgress | null)[]>(`(async () => {
      const all = [];
      const ask = () => fetch('api/run/0/what-if-progress?smallest=1').then((told) => told.json());
      for (let i = 0; i < 10; i++) all.push((await ask()).progress);
      return all;
    })()`);
      const known = told.filter((one) => one !== null);
      expect(known.length).toBeGreaterThan(0);
      for (const [at, { share, row, eventsDone, events, conf }] of known.entries()) {
        expect(share).toBeGreaterThanOrEqual(known[at - 1]?.share ?? 0);
        expect(share).toBeLessThanOrEqual(1);
        expect(row).toBeLessThanOrEqual(rows);
        expect(eventsDone).toBeLessThanOrEqual(events);
        expect(header.answer.rows.map((one) => one.conf)).toContain(conf);
      }
      await page.getByRole('button', { name: 'Cancel' }).click();
      // The row that was begun is ended, and no other begins.
      const last = await page.evaluate<WhatIfProgress | null>(`(async () => {
      const ask = () => fetch('api/run/0/what-if-progress?smallest=1').then((told) => told.json());
      let last = null;
      for (;;) {
        const { progress } = await ask();
        if (progress === null) return last;
        last = progress;
      }
    })()`);
      expect(last?.row ?? 0).toBeLessThan(rows);
      expect(errors).toEqual([]);
    },
  );

  inBrowser('keeps no other question waiting while it replays a long trace', async () => {
    const path = place('long.pickle');
    writeFileSync(path, pickle(longTrace(30_000)));
    const { page, errors, go } = await viewing([path]);
    await go('#/what-if');
    await headline(page).waitFor();
    const set = 'max_split_size_mb:24';
    const met = await page.evaluate<{ status: number; answered: number }>(`(async () => {
      let status = 0;
      void fetch('api/run/0/what-if?set=${set}').then((answer) => (status = answer.status));
      let answered = 0;
      for (; status === 0; answered++) await (await fetch('api/run/0/what-if')).arrayBuffer();
      return { status, answered };
    })()`);
    expect(met.status).toBe(200);
    // In the same thread one is answered before the replay, and the next after it.
    expect(met.answered).toBeGreaterThan(4);
    const { header } = await viewOf(page, `?set=${set}`);
    const [row] = (await answerOf(path, '--set', set)).rows;
    expect(header.answer.rows.find(({ conf }) => conf === set)).toEqual(row);
    expect(errors).toEqual([]);
  });

  inBrowser('of a run that died marks where, and what it could reserve', async () => {
    const { page, errors, go } = await viewing([OOM], { dark: true, width: 700 });
    const answer = await answerOf(OOM);
    await go('#/what-if');
    await headline(page).waitFor();
    expect((await cells(page, 'settings')).map((row) => row.slice(0, -1))).toEqual(
      figuresOf(answer),
    );
    const text = await picture(page).textContent();
    expect(text).toContain('dies in step 3');
    const limit = formatBytes(answer.recorded.limitBytes!);
    expect(text).toContain(`what the recorded run could reserve: ${limit}`);
    const notes = await page.getByRole('list', { name: 'Notes' }).textContent();
    expect(notes).toContain('the limit of the process lay between');
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(700);
    expect(errors).toEqual([]);
  });

  inBrowser('is not there where nothing can be replayed', async () => {
    const { page } = await viewing([RECORDING]);
    expect(await page.locator('nav a').allTextContents()).not.toContain('What if');
  });

  inBrowser('takes names of programs for nothing but words', async () => {
    const evil = `</script><img src=x onerror="document.title='caught'">\u202e\u2066`;
    const frames = [evil, 'x'.repeat(100_000)].map((name) => ({ name, filename: evil, line: 3 }));
    const event = { stream: 0, time_us: 5, user_metadata: evil, frames };
    const block = { address: 2 ** 46, size: 2 ** 21, requested_size: 2 ** 21 };
    const segment = { device: 0, address: 2 ** 46, total_size: 2 ** 21, stream: 0 };
    const path = place('evil.pickle');
    const snapshot = {
      segments: [
        {
          ...{ ...segment, segment_type: 'large' },
          blocks: [{ ...block, state: 'active_allocated', frames }],
        },
      ],
      device_traces: [
        [
          { action: 'segment_alloc', addr: 2 ** 46, size: 2 ** 21, ...event },
          { action: 'alloc', addr: 2 ** 46, size: 2 ** 21, ...event },
          { action: 'oom', addr: 0, size: 2 ** 35, device_free: 5, ...event },
        ],
      ],
    };
    writeFileSync(path, pickle(snapshot));
    const { page, errors, go } = await viewing([path], { width: 700 });
    await go('#/what-if');
    await headline(page).waitFor();
    expect((await cells(page, 'settings'))[0]!.at(-1)).toContain('<img src=x');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).not.toContain('caught');
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(700);
    expect(errors).toEqual([]);
  });

  inBrowser('says why a trace cannot be replayed, and a report is written without it', async () => {
    const path = place('absurd.pickle');
    const event = { addr: 2 ** 46, stream: 0, time_us: 5, frames: [] };
    const trace = [
      { action: 'alloc', size: 2 ** 43, ...event },
      { action: 'free_completed', size: 2 ** 43, ...event },
    ];
    writeFileSync(path, pickle({ segments: [], device_traces: [trace] }));
    const { page, go } = await viewing([path]);
    await go('#/what-if');
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('request of 8796093022208 bytes: it cannot be replayed');
    const { code, stderr } = await highwater(['report', path, '--html', place('absurd.html')]);
    expect(code, stderr).toBe(0);
  });

  inBrowser('has the usual settings with their curves in a one-file report', async () => {
    const file = place('what-if.html');
    const { code, stderr } = await highwater(['report', STREAMS, '--html', file, '--redact']);
    expect(code, stderr).toBe(0);
    const { page, errors } = await newPage({ offline: true });
    await page.goto(`file://${file}#/what-if?set=max_split_size_mb%3A128`);
    await headline(page).waitFor();
    const answer = await answerOf(STREAMS);
    expect((await cells(page, 'settings')).map((row) => row.slice(0, -1))).toEqual(
      figuresOf(answer),
    );
    const last = answer.rows.at(-1)!;
    await rowOf(page, last.conf).click();
    await expect
      .poll(() => picture(page).textContent())
      .toContain(`at most ${formatBytes(last.reservedPeakBytes)}`);
    expect(await page.getByLabel('Other settings').count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  });
});
