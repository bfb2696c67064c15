import { describe, expect, it } from 'vitest';
import { singleValues } from '../../src/analyses/leak/bounded-values.ts';
import { judgedValues } from '../../src/analyses/leak/judged-values.ts';
import { rhythmOf } from '../../src/analyses/leak/rhythm.ts';
import { judgeTrend } from '../../src/analyses/leak/trend-rules.ts';
import { MiB } from '../../src/base/bytes.ts';
import { Random } from '../support/random.ts';

const STEPS = 240;
const TURN = 40;

/** MiB at each step, and what of it was seen: every second or third step is missing, as where samples are rarer than marks. */
function valuesOf(held: (step: number) => number, seen: (step: number) => boolean = () => true) {
  const steps = [...Array(STEPS).keys()].filter(seen);
  const y = Float64Array.from(steps, (step) => held(step) * MiB);
  return { ...singleValues(Float64Array.from(steps), y), over: 'iterations' as const };
}

const wave = (step: number) => 20 * (1 - Math.cos((2 * Math.PI * step) / TURN));
/** Ten steps of training, then two of validation, which needs much more. */
const validation = (step: number) => (step % 12 >= 10 ? 300 : 0);
const noise = (mib: number, seed = 3) => {
  const random = new Random(seed);
  const drawn = Array.from({ length: STEPS }, () => mib * random.normal());
  return (step: number) => drawn[step]!;
};
const verdict = (values: Parameters<typeof judgedValues>[0]) => {
  const { evidence, rhythm } = judgedValues(values);
  return { ...judgeTrend(evidence), rhythm, slope: evidence.slope / MiB };
};

describe('a rhythm', () => {
  it('hides neither that nothing grows nor a small leak', () => {
    const small = noise(0.02);
    expect(verdict(valuesOf((step) => 60 + wave(step) + small(step)))).toMatchObject({
      verdict: 'bounded',
      rhythm: TURN,
    });
    const grows = verdict(valuesOf((step) => 60 + wave(step) + small(step) + 0.1 * step));
    expect(grows).toMatchObject({ verdict: 'leak', rhythm: TURN });
    expect(grows.slope).toBeCloseTo(0.1, 3);
  });

  it('is found where values are missing', () => {
    const seen = (step: number) => step % 5 !== 1 && step % 3 !== 2;
    const grows = verdict(valuesOf((step) => 60 + wave(step) + 0.1 * step, seen));
    expect(grows).toMatchObject({ verdict: 'leak', rhythm: TURN });
    expect(grows.slope).toBeCloseTo(0.1, 2);
  });

  it('stands with a turn that is unlike the others, which leaves no trace in those', () => {
    const first = (step: number) => (step > 50 && step < 75 ? 3 : 0);
    const flat = verdict(valuesOf((step) => 60 + wave(step) + first(step)));
    expect(flat).toMatchObject({ verdict: 'bounded', rhythm: TURN });
    const grows = verdict(valuesOf((step) => 60 + wave(step) + first(step) + 0.1 * step));
    expect(grows.verdict).toBe('leak');
    const steps = verdict(valuesOf((step) => 60 + wave(step) + 3 * Math.floor(step / 60)));
    expect(['leak', 'inconclusive']).toContain(steps.verdict);
  });

  it('of epochs with a validation is told to the iteration', () => {
    const small = noise(0.5);
    expect(rhythmOf(valuesOf((step) => 900 + validation(step) + small(step)))!.period % 12).toBe(0);
  });

  it('is none in noise that wanders, in three turns, or in turns that differ', () => {
    let state = 0;
    const step = noise(1, 8);
    const wandering = Float64Array.from({ length: STEPS }, (_, i) => (state += step(i)));
    expect(rhythmOf(valuesOf((at) => 60 + wandering[at]!))).toBeNull();
    expect(rhythmOf(valuesOf((at) => 60 + wave((at * TURN) / 80)))).toBeNull();
    const sizes = [1, 0.3, 0.9, 0.2, 1.1, 0.5];
    expect(rhythmOf(valuesOf((at) => 60 + wave(at) * sizes[Math.floor(at / TURN)]!))).toBeNull();
  });

  it('is not looked for where there is hardly a value, or none that differs', () => {
    expect(rhythmOf(valuesOf(() => 60))).toBeNull();
    expect(rhythmOf(valuesOf(wave, (at) => at < 3))).toBeNull();
  });
});
