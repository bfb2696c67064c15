import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHARED, whereShared } from '../support/shared.ts';
import { holdOutLargest } from './support.ts';

/** What is asked of every figure: within 3 %, and inside an interval that is of use. */
function expectTold(told: ReturnType<typeof holdOutLargest>) {
  for (const { name, truth, expected } of told) {
    const { bytes, lowBytes, highBytes } = expected;
    expect(Math.abs(bytes / truth - 1), name).toBeLessThan(0.03);
    expect(truth, name).toBeGreaterThanOrEqual(lowBytes);
    expect(truth, name).toBeLessThanOrEqual(highBytes);
    expect((highBytes - lowBytes) / bytes, name).toBeLessThan(0.35);
  }
}

describe('peaks that were measured on a GPU', () => {
  whereShared('sweeps/h200-peaks.csv')(
    'tells the largest GPT and ResNet-50 from the smaller ones',
    () => {
      const told = holdOutLargest(join(SHARED, 'sweeps/h200-peaks.csv'));
      expect(told.map(({ name }) => name).sort()).toEqual(
        ['gpt_sdpa', 'resnet50'].flatMap((model) =>
          ['allocated_peak', 'device_used', 'requested_peak', 'reserved_peak'].map(
            (figure) => `${model} ${figure}`,
          ),
        ),
      );
      expectTold(told);
    },
  );

  // Made by test/fixtures/fit/measure_peaks.py on an H200: activations go with batch × side².
  it('tells the largest U-Net from the smaller ones', () => {
    const told = holdOutLargest(join(import.meta.dirname, '../fixtures/fit/unet-peaks.csv'));
    expect(told).toHaveLength(4);
    expectTold(told);
  });
});
