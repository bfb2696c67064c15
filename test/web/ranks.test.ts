import { writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { needs, python } from '../support/programs.ts';
import { place, recorded } from '../support/recorder.ts';
import { cells, jsonAnswer, viewing } from './viewing.ts';

/** Three ranks, of which the second keeps 120 MiB more. */
const SCRIPT = `
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

describe('the page of ranks', () => {
  needs('python3')('has a curve each, the one that stands out first', async () => {
    const script = place('ranks.py');
    writeFileSync(script, SCRIPT);
    const { code, folder } = await recorded([], [python(), script]);
    expect(code).toBe(0);
    const { page, errors } = await viewing([folder]);
    const { ranks } = await jsonAnswer<Report>(['report', folder]);
    expect(ranks.outlier).toMatchObject({ rank: 1 });
    // A job of which one rank stands out opens there.
    const pictures = page.locator('.rank');
    await pictures.first().waitFor();
    expect(new URL(page.url()).hash).toBe('#/ranks');
    expect(await pictures.count()).toBe(3);
    expect(await pictures.first().textContent()).toMatch(/^rank 1 .*stands out/);
    const label = await pictures.first().locator('.plot-surface').getAttribute('aria-label');
    expect(label).toBe('Memory of rank 1 over time');
    expect((await cells(page, 'ranks')).map(([rank, peak]) => [rank, peak])).toEqual(
      ranks.ranks.map(({ rank, peakBytes }) => [String(rank), formatBytes(peakBytes!)]),
    );
    expect(await page.locator('[data-test=ranks-headline]').textContent()).toMatch(
      /^Rank 1 stands out: /,
    );
    expect(await page.locator('[data-test=ranks-remedy]').textContent()).toContain(
      'let rank 1 do no more than the others',
    );
    await page.locator('table[aria-label=ranks] tbody tr').last().click();
    await page.getByText('What rank 2 holds more of').waitFor();
    await page.reload();
    await page.getByText('What rank 2 holds more of').waitFor();
    expect(errors).toEqual([]);
  });
});
