import { describe, expect, it } from 'vitest';
import { whatFits } from '../../src/analyses/fit/index.ts';
import { MiB } from '../../src/base/bytes.ts';
import { fitChart } from '../../src/views/chart/fit.ts';
import { sceneSvg } from '../../src/views/chart/svg.ts';
import { HELD, runsOf } from './support.ts';

const runs = runsOf([1, 2, 4, 8, 16].map((batch) => [{ batch }, 500 + 100 * batch]));
const drawn = (limit: number, taken: number) => {
  const inUse = { bytes: taken * MiB, what: '' };
  return sceneSvg(fitChart(whatFits(runs, HELD, { limitBytes: limit * MiB, inUse, at: null })));
};

describe('the picture of what fits', () => {
  it('shows each measured peak, the curve with its interval, and the limit', () => {
    const svg = drawn(4096, 96);
    expect(svg.match(/<circle/g)).toHaveLength(runs.length);
    expect(svg).toContain('What fits into 4 GiB');
    expect(svg).toContain('3.91 GiB usable of 4 GiB');
    expect(svg).toContain('>batch<');
  });

  it('marks a run that ran out of memory', () => {
    const failed = { params: { batch: '32' }, figures: { held: 3000 * MiB }, outOfMemory: true };
    const inUse = { bytes: 0, what: '' };
    const fit = whatFits([...runs, failed], HELD, {
      limitBytes: 9000 * MiB,
      inUse,
      at: { batch: '32' },
    });
    expect(fit.groups[0]!.curves[0]!.failed).toEqual([{ value: 32, bytes: 3000 * MiB }]);
    expect(sceneSvg(fitChart(fit)).match(/<circle/g)).toHaveLength(runs.length + 1);
  });
});
