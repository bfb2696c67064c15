import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/analyses/report.ts';
import { KiB, MiB } from '../../src/base/bytes.ts';
import { type Declare, lack, needs } from '../support/programs.ts';
import { CLI, place, SCRATCH } from '../support/recorder.ts';
import { torchPython, whereTorch } from '../support/torch.ts';

const workload = (name: string) => resolve(`test/leak/workloads/${name}`);
/** HIGHWATER_KINDS=5 plants each cause five times; a test of every change has to be shorter. */
const RUNS = Array.from({ length: Number(process.env.HIGHWATER_KINDS ?? 1) }, (_, i) => i + 1);
const SHM = `/dev/shm/highwater-kinds-${process.pid}`;
/** No shelves: they are for what is left behind, and take two seconds. */
const SHORT = ['--before', '0', '--after', '0'];

/** Records a command as a user would and reads the verdict back. */
function leakOf(argv: readonly string[], flags: readonly string[] = []): Report['leak'] {
  const out = place();
  const words = ['record', '-q', '-o', out, ...flags, '--', ...argv];
  const run = spawnSync(process.execPath, [CLI, ...words], { encoding: 'utf8' });
  expect(run.status, run.stderr).toBe(0);
  const told = spawnSync(process.execPath, [CLI, 'report', out, '--json'], { encoding: 'utf8' });
  const { leak } = JSON.parse(told.stdout) as Report;
  // With more than one run the table is what one wants to see.
  if (RUNS.length > 1) console.log([...argv.slice(1, 4), leak.verdict, leak.kind].join(' '));
  return leak;
}

const trained = (...words: string[]) => [torchPython()!, workload('causes.py'), ...words];
const figure = (leak: Report['leak'], name: string) =>
  leak.evidence.find((one) => one.name.startsWith(name));

function planted(declare: Declare, name: string, body: () => void): void {
  for (const run of RUNS) declare(`${name} (run ${run})`, body, 120_000);
}

function clearShm(): void {
  for (const name of existsSync('/dev/shm') ? readdirSync('/dev/shm') : []) {
    if (`/dev/shm/${name}`.startsWith(SHM)) rmSync(`/dev/shm/${name}`);
  }
}
afterAll(clearShm);

/** Other tests run on the same machine: a run that they disturb is inconclusive, and repeated. */
const DISTURBED = { retry: 3 };

describe('a list of losses that keeps graphs alive', DISTURBED, () => {
  planted(whereTorch(), 'is named with its shape, what made them and what holds them', () => {
    const leak = leakOf(trained('losses'), SHORT);
    expect(leak).toMatchObject({ verdict: 'leak', kind: 'tensors' });
    const losses = figure(leak, 'tensors [] float32')!;
    expect(losses).toMatchObject({ per: 'iteration', madeBy: 'MeanBackward0' });
    expect(losses.holder).toMatch(/^list of \d+ in losses of __main__$/);
    expect(losses.amount).toBeCloseTo(1, 0);
    expect(figure(leak, 'malloc.in_use')!.amount / KiB).toBeGreaterThan(250);
    expect(leak.advice.join('\n')).toMatch(/loss\.item\(\)(.|\n)*in losses of __main__/);
  });
  planted(whereTorch(), 'its twin keeps their values, which is no leak', () => {
    expect(leakOf(trained('losses', '--fine'), SHORT)).toMatchObject({ kind: null, advice: [] });
  });
});

describe('a growing Python dict', DISTURBED, () => {
  planted(whereTorch(), 'is named with what holds it', () => {
    const leak = leakOf(trained('dict'), SHORT);
    expect(leak).toMatchObject({ verdict: 'leak', kind: 'python-objects' });
    const seen = figure(leak, 'dict of dict')!;
    expect(seen).toMatchObject({ holder: 'seen of __main__', unit: 'bytes' });
    // Estimated from a sample, and right within a third.
    expect(seen.amount / leak.trend!.slope.bytes).toBeGreaterThan(0.67);
    expect(seen.amount / leak.trend!.slope.bytes).toBeLessThan(1.5);
    expect(figure(leak, 'python.blocks')!.amount).toBeGreaterThan(1000);
  });
  planted(whereTorch(), 'its twin writes to the same keys again, which is no leak', () => {
    expect(leakOf(trained('dict', '--fine'), SHORT)).toMatchObject({ kind: null, advice: [] });
  });
});

describe('a C extension that mallocs and forgets', DISTURBED, () => {
  const library = join(SCRATCH, 'forgets.so');
  const compiled = () => {
    const words = ['-O1', '-shared', '-fPIC', '-o', library, workload('forgets.c')];
    if (!existsSync(library)) expect(spawnSync('gcc', words).status).toBe(0);
    return library;
  };
  const declare = lack('gcc') ? needs('gcc') : whereTorch();
  planted(declare, 'is native memory', () => {
    const leak = leakOf(trained('native', compiled()), SHORT);
    expect(leak).toMatchObject({ verdict: 'leak', kind: 'native' });
    expect(figure(leak, 'malloc.in_use')!.amount / KiB).toBeGreaterThan(400);
    expect(figure(leak, 'malloc.in_use')!.amount / KiB).toBeLessThan(600);
    expect(figure(leak, 'tensors.bytes')!.amount).toBe(0);
  });
  planted(declare, 'its twin frees, which is no leak', () => {
    const leak = leakOf(trained('native', '--fine', compiled()), SHORT);
    expect(leak).toMatchObject({ kind: null, advice: [] });
  });
});

describe('forked workers that touch a shared list', DISTURBED, () => {
  // PSS is read on a time budget, which a busy machine can use up: then nothing is told.
  const declare: Declare = (name, body, timeout) => {
    const reason = lack('python3');
    if (reason) needs('python3')(name, body);
    else it(name, { retry: 2, timeout }, body);
  };
  planted(declare, 'leak by PSS, not by RSS: copy-on-write', () => {
    const leak = leakOf(['python3', workload('touches.py')]);
    expect(leak).toMatchObject({ verdict: 'leak', kind: 'copy-on-write' });
    expect(leak.culprit).toMatchObject({ measure: 'PSS', members: 3 });
    expect(leak.culprit!.other).toEqual({ measure: 'RSS', grows: false });
    expect(figure(leak, 'pss')!.amount).toBeGreaterThan(10 * Math.abs(figure(leak, 'rss')!.amount));
  });
  planted(declare, 'their twins touch nothing and do not leak', () => {
    const leak = leakOf(['python3', workload('touches.py'), '--fine']);
    expect(leak).toMatchObject({ kind: null, advice: [] });
  });
});

describe('tensors left in /dev/shm', DISTURBED, () => {
  planted(whereTorch(), 'are shared memory', () => {
    const leak = leakOf(trained('shm', SHM));
    const left = readdirSync('/dev/shm').filter((name) => `/dev/shm/${name}`.startsWith(SHM));
    const size = left.reduce((sum, name) => sum + statSync(`/dev/shm/${name}`).size, 0);
    clearShm();
    expect(leak).toMatchObject({ verdict: 'leak', kind: 'shared-memory' });
    const shmem = figure(leak, 'Shmem') ?? figure(leak, 'shm.used')!;
    if (shmem.per === 'run') expect(Math.abs(shmem.amount - size)).toBeLessThan(4 * MiB);
    const files = figure(leak, '/dev/shm/highwater-*')!;
    expect(files.count).toBe(left.length);
    expect(files.amount).toBe(size);
    expect(leak.advice.join('\n')).toMatch(/unlink\(\)/);
  });
  planted(whereTorch(), 'their twins remove them, which is no leak', () => {
    expect(leakOf(trained('shm', '--fine', SHM))).toMatchObject({ kind: null, advice: [] });
  });
});

describe('the report', DISTURBED, () => {
  whereTorch()('says the kind, the figures and what to do, as text and as Markdown', () => {
    const out = place();
    const words = ['record', '-q', '-o', out, ...SHORT, '--', ...trained('losses')];
    expect(spawnSync(process.execPath, [CLI, ...words]).status).toBe(0);
    expect(readFileSync(join(out, 'run.json'), 'utf8')).toContain('causes.py');
    const report = (...flags: string[]) =>
      spawnSync(process.execPath, [CLI, 'report', out, ...flags], { encoding: 'utf8' }).stdout;
    expect(report()).toMatch(/^ {2}kind +tensors that are kept: \d+ tensors \[\] float32 made by/m);
    expect(report()).toMatch(/^ {2}what to do +each of them keeps the graph/m);
    expect(report('--markdown')).toMatch(/^- kind: tensors that are kept: \d+ tensors/m);
  });
});
