import { describe, expect, it } from 'vitest';
import { MiB } from '../../src/base/bytes.ts';
import { ask, runsOf } from './support.ts';

/** A step that takes 1,000 MiB whatever the batch, and a backward pass of 600 + 100 a batch. */
const peak = (batch: number) => Math.max(1000, 600 + 100 * batch);
const BATCHES = [1, 2, 4, 8, 12, 16, 24];
const runs = runsOf(BATCHES.map((batch) => [{ batch }, peak(batch)]));

describe('whether a size fits', () => {
  it('says yes, no or perhaps with what is needed, and the largest that fits', () => {
    const no = ask(runs, 4600, { batch: '48' }, { taken: 600 });
    expect(no.usableBytes).toBe(4000 * MiB);
    expect(no.answer).toMatchObject({ verdict: 'no', at: { batch: 48 }, measuredBytes: null });
    const { bytes, lowBytes, highBytes } = no.answer!.needed!;
    expect(bytes / MiB).toBeCloseTo(5400, -2);
    expect(lowBytes).toBeLessThan(5400 * MiB);
    expect(highBytes).toBeGreaterThan(5400 * MiB);
    const [largest] = no.largest;
    expect(largest).toMatchObject({ parameter: 'batch', atLeast: false });
    // 34 would do exactly; the upper end of the interval has to fit.
    expect(largest!.value).toBeLessThanOrEqual(34);
    expect(largest!.value).toBeGreaterThanOrEqual(30);

    expect(ask(runs, 8000, { batch: '48' }).answer).toMatchObject({ verdict: 'yes' });
    expect(ask(runs, 5400, { batch: '48' }).answer).toMatchObject({ verdict: 'unsure' });
  });

  it('finds both phases', () => {
    const [model] = ask(runs, 4000, null).models;
    const [flat, growing] = model!.phases;
    expect(flat!.terms).toEqual([]);
    expect(flat!.constantBytes / MiB).toBeCloseTo(1000, 0);
    expect(growing!.constantBytes / MiB).toBeCloseTo(600, 0);
    expect(growing!.terms).toEqual([{ product: 'batch', bytes: expect.closeTo(100 * MiB, -5) }]);
    expect(model!.checks[0]).toMatchObject({ at: { batch: 24 }, measuredBytes: 3000 * MiB });
  });

  it('believes what was measured more than the curve through it', () => {
    const { answer, largest } = ask(runs, 3050, { batch: '24' });
    expect(answer).toMatchObject({ verdict: 'yes', measuredBytes: 3000 * MiB });
    expect(largest[0]!.value).toBe(24);
  });

  it('tells a cache that could be released from memory that is needed', () => {
    const cached = runsOf(BATCHES.map((batch) => [{ batch }, 1.3 * peak(batch), peak(batch)]));
    const measures = { held: 'held', live: 'live', others: [] };
    const { answer } = ask(cached, 6000, { batch: '48' }, { measures });
    expect(answer!.verdict).toBe('after-release');
    expect(answer!.live!.highBytes).toBeLessThan(6000 * MiB);
    expect(ask(cached, 4000, { batch: '48' }, { measures }).answer!.verdict).toBe('no');
  });

  it('fits each kind of run on its own, and over several numbers at once', () => {
    const grid = ['small', 'big'].flatMap((model, i) =>
      [1, 2, 4, 8].flatMap((batch) =>
        [128, 256, 512].map(
          (seq) => [{ model, batch, seq }, (i + 1) * (300 + 2 * batch * seq)] as const,
        ),
      ),
    );
    const { groups } = ask(runsOf(grid), 20_000, { batch: '16', seq: '512' });
    expect(groups.map(({ name, answer }) => [name, answer!.verdict])).toEqual([
      ['model=small', 'yes'],
      ['model=big', 'no'],
    ]);
    const [product] = groups[0]!.models[0]!.phases.at(-1)!.terms;
    expect(product!.product).toBe('batch × seq');
    expect(groups[1]!.largest.map(({ parameter }) => parameter)).toEqual(['batch', 'seq']);
    const one = ask(runsOf(grid), 20_000, { model: 'big', batch: '4' });
    expect(one.groups).toHaveLength(1);
    expect(one.answer).toMatchObject({ at: { batch: 4, seq: 512 }, assumed: ['seq'] });
  });

  it('knows parameters of which more needs less', () => {
    const shards = runsOf([1, 2, 4, 8, 16].map((gpus) => [{ gpus }, 500 + 16_000 / gpus]));
    const { answer, largest, parameters } = ask(shards, 4000, { gpus: '6' });
    expect(parameters[0]!.falls).toBe(true);
    expect(answer!.verdict).toBe('yes');
    expect(largest[0]).toMatchObject({ parameter: 'gpus', value: 5 });
  });

  it('takes a run that ran out of memory as a lower bound', () => {
    const failed = { params: { batch: '32' }, figures: { held: 3900 * MiB }, outOfMemory: true };
    const { answer, largest, notes } = ask([...runs, failed], 3900, { batch: '32' });
    expect(answer).toMatchObject({ verdict: 'no', needed: null });
    expect(largest[0]!.value).toBeLessThan(32);
    expect(notes).toEqual(['one run ended for lack of memory: the peak reached is a lower bound']);
    const ample = ask([...runs, failed], 9000, { batch: '32' });
    expect(ample.answer!.verdict).toBe('yes');
    expect(ample.answer!.needed!.lowBytes).toBeGreaterThanOrEqual(3900 * MiB);
  });
});

describe('where the data do not tell', () => {
  it('says how far is too far', () => {
    const { answer, largest } = ask(runs, 1e6, { batch: '400' });
    expect(answer).toMatchObject({ verdict: 'unknown', needed: null });
    expect(answer!.reason).toBe(
      'batch=400 is 17 times the largest that was measured (24); up to 96 can be judged',
    );
    expect(largest[0]).toMatchObject({ value: 96, atLeast: true });
  });

  it('asks for more sizes', () => {
    const two = runsOf([
      [{ batch: 1 }, 100],
      [{ batch: 2 }, 200],
    ]);
    expect(ask(two, 1000, null).unfit).toBe(
      'only 2 sizes were measured, and it takes three at least, better five',
    );
    const words = runsOf([
      [{ kernel: 'fft' }, 100],
      [{ kernel: 'gemm' }, 200],
    ]);
    expect(ask(words, 1000, null).unfit).toBe('no parameter that is a number was varied');
  });

  it('does not go on from a peak that has not begun to rise', () => {
    const flat = runsOf([1, 2, 4, 8, 16].map((batch) => [{ batch }, batch === 16 ? 1100 : 1000]));
    expect(ask(flat, 1500, { batch: '32' }).answer).toMatchObject({
      verdict: 'unknown',
      reason: expect.stringMatching(/^the peak rises at one size only/),
    });
    expect(ask(flat, 1500, { batch: '12' }).answer!.verdict).toBe('yes');
  });

  it('does not draw a curve through chance', () => {
    const wild = runsOf(
      [5000, 900, 3000, 400, 4500, 700, 2500].map((held, i) => [{ batch: i + 1 }, held]),
    );
    const { answer } = ask(wild, 6000, { batch: '10' });
    expect(answer!.reason).toMatch(/^the peaks do not follow the sizes/);
  });

  it('does not guess about a parameter that stood still', () => {
    const fixed = runsOf(BATCHES.map((batch) => [{ batch, size: 224 }, peak(batch)]));
    const { answer, largest } = ask(fixed, 4000, { batch: '8', size: '512' });
    expect(answer!.reason).toBe('size was 224 in all runs');
    expect(largest[0]).toMatchObject({ value: null, unknown: true });
  });
});
