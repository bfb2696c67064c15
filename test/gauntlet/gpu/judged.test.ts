import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../../../src/analyses/report.ts';
import { reportOf } from './judged.ts';
import { score } from './score.ts';
import { gpuPrograms } from './truth.ts';

/** Recordings that run.py made on a card; HIGHWATER_GPU_GAUNTLET names another folder. */
const FOLDER = process.env.HIGHWATER_GPU_GAUNTLET ?? 'test/fixtures/gpu-gauntlet';
const truths = new Map(gpuPrograms().map(({ name, truth }) => [name, truth]));
const recorded = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((file) => file.endsWith('.hwz'))
      .map((file) => basename(file, '.hwz'))
      .filter((name) => truths.has(name))
  : [];
const of = (name: string) => reportOf(join(FOLDER, `${name}.hwz`));
const fixesOf = async (name: string) => (await of(name)).devices.find(({ oom }) => oom)!.oom!.fixes;

describe.skipIf(recorded.length === 0)('programs that ran on a card', () => {
  it.each(recorded)('%s: the true cause, and advice that can apply', async (name) => {
    const report = await of(name);
    const { mark, serving, wrongAdvice, told } = score(truths.get(name)!, report);
    expect([mark, told]).toEqual(['right', told]);
    expect(serving).not.toBe(false);
    expect(wrongAdvice).toBeNull();
    expectConsistent(report);
  });

  it.runIf(recorded.includes('big_batch-eager'))(
    'a step that never ran to its end tells nothing of what would run',
    async () => {
      const fixes = await fixesOf('big_batch-eager');
      expect(fixes.find(({ id }) => id === 'halve-batch')).toMatchObject({
        outcome: 'unknown',
        margin: null,
      });
      const recompute = fixes.find(({ id }) => id === 'recompute-activations')!;
      const { parts } = (await of('big_batch-eager')).devices[0]!.oom!;
      expect(recompute.bytes).toBeLessThan(parts.find(({ part }) => part === 'pass')!.bytes);
    },
  );

  it.runIf(recorded.includes('first_step'))(
    'state in 8 bits is held against all of the state that was still to come',
    async () => {
      const { optimizer, parts } = (await of('first_step')).devices[0]!.oom!;
      const parameters = parts.find(({ part }) => part === 'parameter')!.bytes;
      expect(optimizer!.stateBytes + optimizer!.toComeBytes).toBe(2 * parameters);
      const fixes = await fixesOf('first_step');
      expect(fixes.find(({ id }) => id === 'smaller-optimizer-state')!.outcome).toBe('dies');
    },
  );
});

/** Causes are in order, each points at figures that are there, and what is enough is what runs. */
function expectConsistent(report: Report): void {
  const { verdict, devices } = report;
  const oom = devices.find((device) => device.oom)?.oom;
  if (!oom) return;
  const sure = oom.causes.map(({ certainty }) => certainty);
  expect(sure).toEqual([...sure].sort((a, b) => b - a));
  expect(verdict.causes[0]!.id).toBe(verdict.cause.code);
  for (const { at } of oom.causes.flatMap(({ evidence, against }) => [...evidence, ...against])) {
    expect(valueAt(report, at), at).not.toBeUndefined();
  }
  for (const { outcome, enough, margin } of oom.fixes) {
    expect(enough).toBe(outcome === 'runs');
    if (outcome !== 'runs') expect(margin).toBeNull();
  }
}

const valueAt = (root: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((found, key) => (found as Record<string, unknown> | undefined)?.[key], root);
