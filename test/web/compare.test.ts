import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import type { Comparison } from '../../src/analyses/compare/index.ts';
import type { Fit } from '../../src/analyses/fit/index.ts';
import type { Sweep } from '../../src/analyses/sweep/index.ts';
import { formatMiB } from '../../src/base/bytes.ts';
import { inBrowser } from '../support/chromium.ts';
import { needs, python } from '../support/programs.ts';
import { place } from '../support/recorder.ts';
import { SHARED, whereShared } from '../support/shared.ts';
import { swept } from '../sweep/support.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

const LOGS = resolve('test/fixtures/formats/nvidia-smi/h200');

describe('the page of comparisons', () => {
  inBrowser('lays five logs over each other, with the figures of compare', async () => {
    const { page, errors, go } = await viewing([LOGS]);
    const result = await jsonAnswer<Comparison>(['compare', LOGS]);
    await go('#/compare');
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

  const SNAPSHOTS = ['h200-gpt2_adamw3', 'h200-vgg19_sgd4'].map(
    (name) => `torch-snapshots/${name}.pickle.gz`,
  );
  whereShared(...SNAPSHOTS)('tells two allocation traces apart by call stack', async () => {
    const inputs = SNAPSHOTS.map((path) => join(SHARED, path));
    const { page, errors, go } = await viewing(inputs);
    const { allocations } = await jsonAnswer<Comparison>(['compare', ...inputs]);
    await go('#/compare');
    const [pair] = allocations!.differences;
    const title = page.locator('h2', { hasText: 'what grew and what shrank, by call stack' });
    await title.waitFor({ timeout: 60_000 });
    const label = (await title.textContent())!;
    expect((await cells(page, label)).length).toBeGreaterThanOrEqual(pair!.sites.shown.length);
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
      await page.getByLabel('with in use by others').fill('0');
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
