import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { KiB } from '../../src/base/bytes.ts';
import { reportMarkdown } from '../../src/views/report/markdown.ts';
import { type Declare, lack, needs, python } from '../support/programs.ts';
import { highwater, open, place, SCRATCH } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';
import { figure, type Leak, leakOf, record, SHORT, verdictOf, workload } from './verdict.ts';

/** HIGHWATER_KINDS=5 plants each cause five times; a test of every change has to be shorter. */
const RUNS = Array.from({ length: Number(process.env.HIGHWATER_KINDS ?? 1) }, (_, i) => i + 1);
const NO_KIND = { kind: null, advice: [] };
const LIBRARY = join(SCRATCH, 'forgets.so');

const trained = (...words: string[]) => [torchPython()!, workload('causes.py'), ...words];

function planted(declare: Declare, name: string, body: () => Promise<Leak>): void {
  const told = async () => {
    const { verdict, kind } = await body();
    // With more than one run the table is what one wants to see.
    if (RUNS.length > 1) console.log(`${name}: ${verdict}, ${kind}`);
  };
  for (const run of RUNS) declare(`${name} (run ${run})`, told, 120_000);
}

/** One after the other: a survey that is slow, as beside others, is made rarely. */
describe('the kind of a leak', () => {
  const native = lack('gcc') ? needs('gcc') : whereTorch();
  beforeAll(() => {
    const words = ['-O1', '-shared', '-fPIC', '-o', LIBRARY, workload('forgets.c')];
    if (!lack('gcc')) expect(spawnSync('gcc', words).status).toBe(0);
  });

  planted(whereTorch(), 'tensors: a list of losses that keeps graphs alive', async () => {
    const folder = await record(trained('losses'), SHORT);
    const leak = verdictOf(folder);
    expect(leak, JSON.stringify(leak)).toMatchObject({ verdict: 'leak', kind: 'tensors' });
    const losses = figure(leak, 'tensors [] float32')!;
    expect(losses).toMatchObject({ per: 'iteration', madeBy: 'MeanBackward0' });
    expect(losses.holder).toMatch(/^list of \d+ in losses of __main__ at \S*causes\.py:\d+$/);
    expect(losses.amount).toBeCloseTo(1, 0);
    expect(figure(leak, 'malloc.in_use')!.amount / KiB).toBeGreaterThan(250);
    expect(leak.advice.join('\n')).toMatch(/loss\.item\(\)(.|\n)*in losses of __main__/);
    // The report says the kind, the figures and what to do.
    const text = String((await highwater(['report', folder])).stdout);
    expect(text).toMatch(/^ {2}kind +tensors that are kept: \d+ tensors \[\] float32 made by/m);
    expect(text).toMatch(/^ {2}what to do +each of them keeps the graph/m);
    const markdown = reportMarkdown(report(open(folder)));
    expect(markdown).toMatch(/^- kind: tensors that are kept: \d+ tensors/m);
    return leak;
  });

  planted(whereTorch(), 'python-objects: a dict that grows, with what holds it', async () => {
    const told = place('held');
    const leak = await leakOf(trained('dict', told), SHORT);
    expect(leak, JSON.stringify(leak)).toMatchObject({ verdict: 'leak', kind: 'python-objects' });
    const seen = figure(leak, 'dict of dict')!;
    expect(seen).toMatchObject({ unit: 'bytes', count: 120_000 });
    expect(seen.holder).toMatch(/^seen of __main__ at \S*causes\.py:\d+$/);
    expect(leak.culprit!.where).toMatch(/causes\.py:\d+$/);
    // Estimated from a sample, and right within a fifth; the process grew by that, as well as that is known.
    const truth = Number(readFileSync(told, 'utf8')) / 120;
    expect(seen.amount / truth).toBeGreaterThan(0.8);
    expect(seen.amount / truth).toBeLessThan(1.2);
    const { low, high } = leak.trend!.slope;
    expect(seen.amount / low).toBeGreaterThan(0.67);
    expect(seen.amount / high).toBeLessThan(1.5);
    expect(figure(leak, 'python.blocks')!.amount).toBeGreaterThan(1000);
    return leak;
  });

  planted(native, 'native: a C extension that mallocs and forgets', async () => {
    const leak = await leakOf(trained('native', LIBRARY), SHORT);
    expect(leak, JSON.stringify(leak)).toMatchObject({ verdict: 'leak', kind: 'native' });
    expect(figure(leak, 'malloc.in_use')!.amount / KiB).toBeGreaterThan(400);
    expect(figure(leak, 'malloc.in_use')!.amount / KiB).toBeLessThan(600);
    expect(figure(leak, 'tensors.bytes')!.amount).toBe(0);
    return leak;
  });

  planted(native, 'none: their twins keep values, write to the same keys, and free', async () => {
    const leak = await leakOf(trained('losses,dict,native', '--fine', LIBRARY), SHORT);
    expect(leak, JSON.stringify(leak)).toMatchObject(NO_KIND);
    return leak;
  });

  planted(needs('python3'), 'copy-on-write: forked workers that touch a list', async () => {
    const leak = await leakOf([python(), workload('touches.py')], SHORT);
    expect(leak, JSON.stringify(leak)).toMatchObject({ verdict: 'leak', kind: 'copy-on-write' });
    // By PSS, not by RSS.
    expect(leak.culprit).toMatchObject({ measure: 'PSS', members: 3 });
    expect(leak.culprit!.other).toEqual({ measure: 'RSS', grows: false });
    expect(figure(leak, 'pss')!.amount).toBeGreaterThan(10 * Math.abs(figure(leak, 'rss')!.amount));
    return leak;
  });

  planted(needs('python3'), 'none: their twins touch nothing', async () => {
    const leak = await leakOf([python(), workload('touches.py'), '--fine'], SHORT);
    expect(leak, JSON.stringify(leak)).toMatchObject(NO_KIND);
    return leak;
  });
});
