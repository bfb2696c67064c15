import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { comparedTraces } from '../../src/analyses/allocations/diff/curves.ts';
import { deviceDifference } from '../../src/analyses/allocations/diff/device.ts';
import { tracePairs } from '../../src/analyses/allocations/diff/index.ts';
import { stepAxis } from '../../src/analyses/allocations/diff/step-axis.ts';
import { curve } from '../../src/model/allocations/curve.ts';
import { openInput } from '../../src/open/open.ts';

const FILES = resolve('test/fixtures/snapshots');
const named = async (name: string) => ({
  name,
  recording: await openInput(`${FILES}/${name}.pickle.gz`),
});
const pairOf = async (a: string, b: string) => tracePairs([await named(a), await named(b)])[0]!;

describe('traces laid over each other', () => {
  for (const [a, b, stepped] of [
    ['training/gpt_leak', 'training/gpt_adam_allstacks', true],
    ['mlp_adam5', 'training/gpt_leak', true],
    ['streams', 'training/gpt_leak', false],
  ] as const) {
    it(`hold what the difference of ${a} and ${b} says`, async () => {
      const pair = await pairOf(a, b);
      const difference = deviceDifference(...pair);
      const drawn = comparedTraces(...pair, { across: 'step', columns: 50 });
      const { header } = drawn;
      expect(header.stepped).toBe(stepped);
      expect(header.sites).toBe(difference.sites.shown.length);
      for (const [i, side] of (['a', 'b'] as const).entries()) {
        const { trace } = pair[i]!;
        const events = drawn.f64(`${i}.event`);
        const { peak, categories } = header.sides[i]!;
        expect(peak.bytes).toBe(difference.peakRequestedBytes[side]);
        // Nothing is lost or made up at any event that is drawn, and the peak is among them.
        const whole = curve(trace).requested;
        const sums = Float64Array.from(events, (_, at) =>
          categories.reduce((sum, one) => sum + drawn.f64(`${i}.${one}`)[at]!, 0),
        );
        expect(sums).toEqual(Float64Array.from(events, (event) => whole[event]!));
        expect(Math.max(...sums)).toBe(peak.bytes);
        // Rising, each event in its step.
        const xs = stepped ? drawn.f64(`${i}.step`) : events;
        expect(xs.every((x, at) => at === 0 || x > xs[at - 1]!)).toBe(true);
        if (stepped) expect(Math.floor(peak.at!)).toBe(difference.moments[side].step ?? 0);
        // At the peak a site and a category hold what the tables say.
        const at = events.indexOf(peak.event);
        expect(sums[at]).toBe(peak.bytes);
        difference.sites.shown.forEach(({ bytes }, site) => {
          expect(drawn.f64(`${i}.site.${site}`)[at]).toBe(bytes[side]);
        });
        for (const { category, bytes } of difference.categories) {
          const held = categories.includes(category) ? drawn.f64(`${i}.${category}`)[at] : 0;
          expect(held).toBe(bytes[side]);
        }
      }
    });
  }

  it('show a site that is gone at the peak where the other trace has it at another moment', async () => {
    const pair = await pairOf('training/gpt_adam_allstacks', 'training/gpt_adam_peak_in_optimizer');
    const { sites } = deviceDifference(...pair);
    const drawn = comparedTraces(...pair, { across: 'step', columns: 200 });
    const gone = sites.shown.flatMap(({ status }, site) => (status === 'gone' ? [site] : []));
    expect(gone.length).toBeGreaterThan(0);
    const elsewhere = gone.filter((site) => drawn.f64(`1.site.${site}`).some((bytes) => bytes > 0));
    expect(elsewhere.length).toBeGreaterThan(0);
  });

  it('ask for a part, by step or by event', async () => {
    const pair = await pairOf('mlp_adam5', 'training/gpt_leak');
    const part = comparedTraces(...pair, { across: 'step', columns: 20, from: 2, to: 3 });
    const steps = part.f64('0.step');
    expect(steps[1]).toBeGreaterThanOrEqual(2);
    expect(steps.at(-2)).toBeLessThanOrEqual(3.1);
    const few = comparedTraces(...pair, { across: 'event', columns: 20, from: 10, to: 30 });
    expect([...few.f64('1.event')].slice(0, 3)).toEqual([9, 10, 11]);
  });
});

describe('the axis of steps', () => {
  it('has what came before below 1, and what follows behind the last', () => {
    const steps = {
      ...{ count: 2, by: 'optimizer' as const },
      start: Int32Array.of(2, 6),
      end: Int32Array.of(6, 8),
    };
    expect([...stepAxis(steps, 10)]).toEqual([
      ...[0, 0.5, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3 + 1 / 3, 3 + 2 / 3],
    ]);
    const whole = stepAxis({ ...steps, start: Int32Array.of(0, 6) }, 8);
    expect([whole[0], whole[1], whole.at(-1)]).toEqual([1, 1 + 1 / 6, 3]);
    // A snapshot with hardly any history is a step all the same.
    const one = {
      count: 1,
      by: 'forward' as const,
      start: Int32Array.of(0),
      end: Int32Array.of(1),
    };
    expect([...stepAxis(one, 1)]).toEqual([1, 2]);
  });
});
