import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import type { Comparison } from '../../src/analyses/compare/index.ts';
import type { Fit } from '../../src/analyses/fit/index.ts';
import type { Sweep } from '../../src/analyses/sweep/index.ts';
import { formatBytes, formatDelta, formatMiB } from '../../src/base/bytes.ts';
import { kindName } from '../../src/model/memory-kinds.ts';
import { verdictSentence } from '../../src/model/verdict.ts';
import { siteTitle } from '../../src/views/compare/allocation-diff.ts';
import { inBrowser } from '../support/chromium.ts';
import { needs, python } from '../support/programs.ts';
import { place } from '../support/recorder.ts';
import { SHARED, whereShared } from '../support/shared.ts';
import { swept } from '../sweep/support.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

const FILES = resolve('test/fixtures/snapshots');
const LEAK = join(FILES, 'training/gpt_leak.pickle.gz');
const ADAM = join(FILES, 'training/gpt_adam_allstacks.pickle.gz');
const MLP = join(FILES, 'mlp_adam5.pickle.gz');
const STREAMS = join(FILES, 'streams.pickle.gz');
const LOGS = resolve('test/fixtures/formats/nvidia-smi/h200');

describe('the page of comparisons', () => {
  inBrowser('lays five logs over each other, with the figures of compare', async () => {
    const { page, errors } = await viewing([LOGS]);
    const result = await jsonAnswer<Comparison>(['compare', LOGS]);
    // Several inputs open where they are compared.
    await expect.poll(() => new URL(page.url()).hash).toBe('#/compare');
    const shown = await cells(page, 'runs');
    const ranked = [...result.runs].sort((a, b) => b.peakBytes - a.peakBytes);
    expect(shown.map(([name, peak, above]) => [name, peak, above])).toEqual(
      ranked.map((run) => [
        run.name,
        formatMiB(run.peakBytes),
        formatMiB(run.peakAboveBaselineBytes),
      ]),
    );
    expect((await cells(page, 'differences')).length).toBe(result.differences.length);
    expect(await page.locator('[data-test=compare-headline]').textContent()).toMatch(
      /^fft peaks highest: 10,780 MiB above its baseline/,
    );
    expect(await page.locator('[data-test=compare-against]').allTextContents()).toEqual([
      'But: with one run of each it is not known how much runs of the same vary.',
    ]);
    await page.getByLabel('differences from').selectOption('cudnn');
    await expect.poll(async () => (await cells(page, 'differences')).length).toBe(4);
    expect(await cells(page, 'differences')).toContainEqual(
      expect.arrayContaining(['fft − cudnn', '+9,436 MiB']),
    );
    // A log has no iterations: that is said, not drawn as nothing.
    await page.getByLabel('aligned').selectOption('first-iteration');
    await page.getByText('it has no iteration to align at').first().waitFor();
    expect(errors).toEqual([]);
  });

  inBrowser('zooms to a stretch that is selected, and a reload keeps it', async () => {
    const { page, errors, go } = await viewing([LOGS]);
    await go('#/compare');
    const plot = page.locator('.overlay-plot .plot-surface');
    const box = (await plot.boundingBox())!;
    await page.mouse.move(box.x + 500, box.y + 100);
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(box.x + 800, box.y + 100, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await expect.poll(() => page.url()).toMatch(/from=[\d.]+&to=[\d.]+/);
    const ticks = () => plot.locator('text').allTextContents();
    await page.locator('.overlay-plot[aria-busy=false]').waitFor();
    const zoomed = await ticks();
    await page.reload();
    await plot.waitFor();
    await expect.poll(ticks).toEqual(zoomed);
    await plot.dblclick({ position: { x: 600, y: 100 } });
    await expect.poll(() => page.url()).not.toContain('from=');
    expect(errors).toEqual([]);
  });

  inBrowser('draws two snapshots over each other by step, and a row lights up both', async () => {
    const inputs = [LEAK, ADAM];
    const { page, errors } = await viewing(inputs);
    const { allocations, verdict } = await jsonAnswer<Comparison>(['compare', ...inputs]);
    const [pair] = allocations!.differences;
    const pictures = page.locator('.trace-picture');
    await expect.poll(() => pictures.count()).toBe(2);
    expect(await page.locator('[data-test=compare-headline]').textContent()).toBe(
      verdictSentence(verdict),
    );
    // What is for samples is not there.
    expect(await page.getByLabel('aligned').count()).toBe(0);
    expect(await page.getByText('no run can be drawn').count()).toBe(0);
    // Both on the same axes, each with its peak.
    const texts = async (i: number) => pictures.nth(i).locator('svg text').allTextContents();
    const peak = async (i: number) => (await texts(i)).find((text) => text.includes(' · '));
    const ticks = async (i: number) => (await texts(i)).filter((text) => !text.includes(' · '));
    expect(await ticks(0)).toEqual(await ticks(1));
    expect(await ticks(0)).toContain('step');
    for (const [i, side] of (['a', 'b'] as const).entries()) {
      const { phase, step } = pair!.moments[side];
      const bytes = formatBytes(pair!.peakRequestedBytes[side]);
      expect(await peak(i)).toBe(`peak ${bytes} · step ${step}, ${phase}`);
    }
    // The figures of the command.
    const byCategory = await cells(page, 'difference by category');
    expect(byCategory).toEqual(
      pair!.categories.map(({ category, bytes, allocations: blocks }) => [
        ` ${kindName(category)}`,
        formatBytes(bytes.a),
        formatBytes(bytes.b),
        bytes.difference === 0 ? '0 B' : formatDelta(bytes.difference),
        `${blocks.a} → ${blocks.b}`,
      ]),
    );
    const stacks = await cells(page, siteTitle(pair!));
    expect(stacks.map((row) => row.slice(1, 4))).toEqual(
      pair!.sites.shown.map(({ bytes }) => [
        formatBytes(bytes.a),
        formatBytes(bytes.b),
        formatDelta(bytes.difference),
      ]),
    );
    // A row under the pointer makes the others step back in both; a click keeps it so.
    const faded = (i: number) => pictures.nth(i).locator('path[opacity="0.22"]').count();
    expect([await faded(0), await faded(1)]).toEqual([0, 0]);
    const bands = await pictures.nth(1).locator('path:not([fill="none"])').count();
    const row = page.locator('table[aria-label="difference by category"] tbody tr').first();
    await row.hover();
    await expect.poll(() => faded(1)).toBe(bands - 1);
    expect(await faded(0)).toBeGreaterThan(0);
    await page.mouse.move(5, 5);
    await expect.poll(() => faded(1)).toBe(0);
    const known = pair!.sites.shown.findIndex(({ frames }) => frames.length > 0);
    await page
      .locator(`table[aria-label="${siteTitle(pair!)}"] tbody tr`)
      .nth(known)
      .click();
    await page.mouse.move(5, 5);
    await expect.poll(() => faded(1)).toBe(bands);
    const frame = pair!.sites.shown[known]!.frames[0]!.function;
    expect(await page.locator('[data-test=lit-stack]').textContent()).toContain(frame);
    await page.reload();
    await expect.poll(() => faded(1)).toBe(bands);
    await page.getByLabel('laid over each other').selectOption('event');
    await expect.poll(() => ticks(0)).toContain('event');
    expect(errors).toEqual([]);
  });

  for (const [what, inputs, state, surface] of [
    ['logs', [LOGS], 'from=4&to=5', '.overlay-plot'],
    ['snapshots', [LEAK, ADAM], 'tfrom=2&tto=2.2', '.trace-picture'],
  ] as const) {
    inBrowser(`the wheel leads out of a part of ${what} that an address names`, async () => {
      const { page, errors, go } = await viewing(inputs);
      await go(`#/compare?${state}`);
      const plot = page.locator(`${surface} .plot-surface`).first();
      // Until all is in sight again, which then needs no place in the address.
      await expect
        .poll(async () => {
          // What is loaded meanwhile moves the plot, and zoomed out the wheel moves the page.
          await plot.hover();
          await page.mouse.wheel(0, 400);
          return new URL(page.url()).hash;
        })
        .not.toMatch(/from=/);
      expect(errors).toEqual([]);
    });
  }

  inBrowser('draws them by event where no steps are known, and says so', async () => {
    const { page, errors } = await viewing([STREAMS, LEAK]);
    await page.getByText('no steps are known in at least one').waitFor();
    await expect.poll(() => page.locator('.trace-picture').count()).toBe(2);
    expect(await page.getByLabel('laid over each other').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  inBrowser('chooses among the pairs of three snapshots', async () => {
    const { page, errors } = await viewing([LEAK, ADAM, MLP]);
    await page.locator('.trace-picture').first().waitFor();
    const pairs = page.getByLabel('shown');
    // The third is opened last.
    await expect.poll(() => pairs.locator('option').count()).toBe(2);
    await pairs.selectOption('1');
    const after = page.locator('.trace-picture').nth(1).locator('figcaption');
    await expect.poll(() => after.textContent()).toMatch(/^mlp_adam5/);
    await page.getByLabel('held against').selectOption('mlp_adam5');
    const before = page.locator('.trace-picture').first().locator('figcaption');
    await expect.poll(() => before.textContent()).toMatch(/^mlp_adam5/);
    expect(errors).toEqual([]);
  });

  const SNAPSHOTS = ['h200-gpt2_adamw3', 'h200-vgg19_sgd4'].map(
    (name) => `torch-snapshots/${name}.pickle.gz`,
  );
  whereShared(...SNAPSHOTS)('tells two allocation traces apart by call stack', async () => {
    const inputs = SNAPSHOTS.map((path) => join(SHARED, path));
    const { page, errors } = await viewing(inputs);
    const { allocations } = await jsonAnswer<Comparison>(['compare', ...inputs]);
    const [pair] = allocations!.differences;
    const title = page.locator('h2', { hasText: 'what grew and what shrank, by call stack' });
    await title.waitFor({ timeout: 60_000 });
    const label = (await title.textContent())!;
    expect((await cells(page, label)).length).toBe(pair!.sites.shown.length);
    expect(await page.locator('[data-test=compare-headline]').textContent()).toContain(pair!.b);
    expect(errors).toEqual([]);
  });
});

describe('a sweep on the page of comparisons', () => {
  needs('python3')(
    'has its table, its curves by iteration, and what would fit',
    async () => {
      const program = place('variants.py');
      writeFileSync(
        program,
        `import sys, time
hold = lambda mib: bytearray(b"x") * int(mib * 2**20)
model = hold(40)
for step in range(1, 4):
    batch = hold(2 * int(sys.argv[1]))
    print(f"Iteration {step}", flush=True)
    time.sleep(0.1)
`,
      );
      const { code, folder, stderr } = await swept(
        ['--param', 'batch=8,16,32,48,64'],
        [python(), program, '{batch}'],
      );
      expect(code, stderr).toBe(0);
      const { page, errors, go } = await viewing([folder]);
      // A sweep opens at its table.
      await expect.poll(() => new URL(page.url()).hash).toBe('#/compare');
      await page.locator('[data-test=sweep-headline]').waitFor();
      expect(await page.locator('[data-test=compare-against]').first().textContent()).toContain(
        'with one run of each it is not known',
      );
      const ask = ['--fit', '4GiB', '--in-use', '0', '--at', 'batch=96'];
      const result = await jsonAnswer<Sweep & { fit: Fit }>(['report', folder, ...ask]);
      await go('#/compare?align=iteration');
      expect(await cells(page, 'combinations')).toEqual(
        result.combinations.map(({ params, peakBytes, peakAboveBaselineBytes }) => [
          params.batch,
          formatMiB(peakBytes!.mean),
          formatMiB(peakAboveBaselineBytes!.mean),
          expect.any(String),
          'ok',
        ]),
      );
      const names = page.locator('fieldset[aria-label=Runs] button');
      await names.first().waitFor();
      expect(await names.allTextContents()).toEqual(['8', '16', '32', '48', '64']);
      expect(await page.locator('.overlay-plot .plot-surface text').allTextContents()).toContain(
        'iteration',
      );
      await page.getByLabel('What would fit into').fill('4GiB');
      await page.getByLabel('at', { exact: true }).fill('batch=96');
      await page.getByLabel('in use by others').fill('0');
      await page.getByRole('button', { name: 'Tell' }).click();
      const answer = page.locator('[data-test=fit]');
      await answer.waitFor();
      const words = (await answer.textContent())!;
      expect(result.fit.groups[0]!.answer!.verdict).toBe('yes');
      expect(words).toContain('What fits into 4 GiB');
      expect(words).toContain('batch=96: yes');
      await page.getByLabel('What would fit into').fill('lots');
      await page.getByRole('button', { name: 'Tell' }).click();
      await page.getByText("'lots' is not a size").waitFor();
      // The browser says that an answer was refused, which it was.
      expect(errors.filter((text) => !/400/.test(text))).toEqual([]);
    },
    60_000,
  );
});
