import { describe, expect, it } from 'vitest';
import { HeatMapFold } from '../../src/analyses/job/heat-map.ts';
import { JobFold } from '../../src/analyses/job/index.ts';
import { summarize } from '../../src/analyses/job/summarize.ts';
import { report } from '../../src/analyses/report.ts';
import { Columns } from '../../src/model/columns.ts';
import { pixels, sortedRows } from '../../src/web/pages/job/picture.ts';
import { inBrowser } from '../support/chromium.ts';
import { type FleetOptions, fleetRanks, writeFleet } from '../support/fleet-ranks.ts';
import { place } from '../support/recorder.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { viewing } from './viewing.ts';

function base() {
  const recording = sampleRecording();
  return summarize(recording, report(recording));
}

function mapOf(options: FleetOptions) {
  const [fold, map] = [new JobFold(), new HeatMapFold()];
  for (const { summary, details } of fleetRanks(base(), options)) {
    fold.add(summary, () => details, false);
    map.add(summary, () => details);
  }
  const { header, ...arrays } = map.result(fold.result('here'));
  return new Columns(header, arrays);
}

describe('the heat map', () => {
  it('loses no maximum, however small it is drawn', () => {
    const map = mapOf({ ranks: 700, outliers: [333] });
    const share = map.f64('peak')[333]! / map.f64('limit')[333]!;
    for (const sort of ['rank', 'peak', 'node'] as const) {
      const order = sortedRows(map, sort);
      expect(new Set(order).size).toBe(700);
      for (const [width, height] of [
        [900, 640],
        [64, 50],
        [1, 1],
      ] as const) {
        const { bins, rows } = map.header;
        const drawn = pixels(map, order, { width, height, time: [0, bins], rows: [0, rows] });
        expect(drawn.reduce((a, b) => Math.max(a, b))).toBeCloseTo(share, 5);
      }
    }
    expect(sortedRows(map, 'peak')[0]).toBe(333);
  });

  inBrowser('is what a job of many ranks opens at', async () => {
    const folder = place('job');
    writeFleet(folder, base(), { ranks: 80, dies: 41 });
    const { page, errors } = await viewing([folder]);
    const map = page.locator('[data-test=heat-map]');
    await map.waitFor();
    expect(new URL(page.url()).hash).toBe('#/job');
    expect(await page.locator('[data-test=job-headline]').textContent()).toMatch(
      /^Rank 41 on node0005 died first, at 1 h 30 min: killed by SIGKILL, out of memory/,
    );
    expect(await page.locator('[data-test=job-outliers]').textContent()).toContain('Rank 41');
    const times = await page.locator('[data-test=heat-times] span').allTextContents();
    expect(times.length).toBeGreaterThan(2);
    expect(times.filter((text) => !/^[\d,]+$/.test(text))).toEqual([]);
    const { x, y, width, height } = (await map.boundingBox())!;
    await page.mouse.move(x + width / 2, y + (height * 41.5) / 80);
    await page.getByText('rank 41 on node0005 (killed)').waitFor();
    await page.getByLabel('rows by').selectOption('peak');
    await page.mouse.move(x + width / 2, y + 1);
    await page.getByText('rank 41 on node0005 (killed)').waitFor();
    await page.mouse.wheel(0, -300);
    await page.waitForURL(/first=.*last=/);
    await page.getByText(/^rows 1 to \d\d?,/).waitFor();
    await map.dblclick();
    await page.waitForURL((url) => !url.hash.includes('first='));
    expect(errors).toEqual([]);
  });
});
