import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { whereOf } from '../../src/analyses/leak/kind/place.ts';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { RunInfo } from '../../src/model/run.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { leakSentence } from '../../src/views/report/leak.ts';
import { addRow } from '../support/rows.ts';

/** A process as one would tell it: its role, and by how many MiB it grows in an iteration. */
type Told = readonly [role: string, grows: number];

const STEPS = 200;
const TENTH = 0.1 * SECOND_NS;

/** 200 iterations, a tenth of a second each; pids count from 100. `after`: what lives on, with so many MiB. */
function recordingOf(
  told: readonly Told[],
  after: readonly { readonly role: string; readonly argv: string; readonly mib: number }[] = [],
  run: Partial<RunInfo> = {},
): Recording {
  const builder = new RecordingBuilder({
    id: 'told',
    name: 'told',
    argv: ['serve'],
    subject: 'command',
    ...run,
  });
  const size = (time: number, pid: number, bytes: number) =>
    addRow(builder, 'process', {
      time,
      pid,
      rss: bytes,
      anon: bytes,
      file: 0,
      shmem: 0,
      swap: 0,
      pss: bytes,
    });
  const born = { start_time: 1, first_seen: 0, name: 'serve' };
  for (const [i, [role]] of told.entries()) {
    addRow(builder, 'processes', { ...born, pid: 100 + i, role, argv: 'serve' });
  }
  for (const [i, { role, argv }] of after.entries()) {
    addRow(builder, 'processes', { ...born, pid: 500 + i, role, argv });
  }
  const mark = { time_from: TIME_FROM.agent };
  addRow(builder, 'marks', { ...mark, time: 0, kind: 'start' });
  for (let step = 0; step < STEPS; step++) {
    const time = step * TENTH;
    addRow(builder, 'marks', { ...mark, time, kind: 'iteration', iteration: step });
    for (const [i, [, grows]] of told.entries()) size(time, 100 + i, (40 + step * grows) * MiB);
    for (const [i, { mib }] of after.entries()) size(time, 500 + i, mib * MiB);
  }
  addRow(builder, 'marks', { ...mark, time: STEPS * TENTH, kind: 'end' });
  for (let step = STEPS + 1; step < STEPS + 100 && after.length > 0; step++) {
    for (const [i, { mib }] of after.entries()) size(step * TENTH, 500 + i, mib * MiB);
  }
  return builder.build();
}

const culpritOf = (...told: readonly Told[]) => leak(recordingOf(told)).culprit;

/** A child for each fourth iteration; `stays`: none of them ends. */
function parentOf(stays: boolean): Recording {
  const builder = new RecordingBuilder({ id: 'p', name: 'p', argv: ['p'], subject: 'command' });
  const mark = { time_from: TIME_FROM.agent };
  addRow(builder, 'marks', { ...mark, time: 0, kind: 'start' });
  const born = { start_time: 1, first_seen: 0 };
  addRow(builder, 'processes', { ...born, pid: 100, name: 'p', role: 'main', argv: 'p' });
  for (let step = 0; step < STEPS; step++) {
    const time = step * TENTH;
    addRow(builder, 'marks', { ...mark, time, kind: 'iteration', iteration: step });
    const size = (pid: number, bytes: number) =>
      addRow(builder, 'process', { time, pid, rss: bytes, anon: bytes, shmem: 0, pss: bytes });
    size(100, (40 + (stays ? 0 : step)) * MiB);
    const last = Math.floor(step / 4);
    if (step % 4 === 0) {
      const child = { ...born, first_seen: time, name: 'sh', argv: 'sh' };
      addRow(builder, 'processes', { ...child, pid: 200 + last, role: `sh ${last + 1}` });
    }
    for (let child = stays ? 0 : last; child <= last; child++) size(200 + child, 4 * MiB);
  }
  addRow(builder, 'marks', { ...mark, time: STEPS * TENTH, kind: 'end' });
  return builder.build();
}

describe('processes that never end', () => {
  it('are what leaks, and those that come and go are not', () => {
    expect(leak(parentOf(true))).toMatchObject({
      verdict: 'leak',
      kind: 'more-processes',
      culprit: { name: expect.stringMatching(/^4\d more processes 'sh'$/) },
    });
    const grows = leak(parentOf(false));
    expect(grows).toMatchObject({ verdict: 'leak', culprit: { process: 'main (pid 100)' } });
    expect(grows.kind).not.toBe('more-processes');
  });
});

describe('the process that leaks', () => {
  it('is the one of four workers that grows, in JSON and in words', () => {
    const told: Told[] = [
      ['main', 0],
      ['worker 1', 0.01],
      ['worker 2', 1],
      ['worker 3', 0.01],
      ['worker 4', 0],
    ];
    expect(culpritOf(...told)).toMatchObject({
      process: 'worker 2 (pid 102)',
      role: 'worker',
      members: 4,
      kind: 'unknown',
      name: 'private memory',
      where: null,
    });
    expect(leakSentence(report(recordingOf(told)))).toMatch(
      /^Leak: \+1\.0\d MiB\/iteration in worker 2, pid 102, of 4 workers \(worker\.held\)/,
    );
  });

  it('is the role where most of its processes grow', () => {
    const told: Told[] = [
      ['main', 0],
      ['worker 1', 0.8],
      ['worker 2', 1],
      ['worker 3', 0.9],
      ['worker 4', 0],
    ];
    expect(culpritOf(...told)).toMatchObject({ process: '4 workers', role: 'worker', members: 4 });
    expect(leakSentence(report(recordingOf(told)))).toMatch(/ in 4 workers \(worker\.held\)/);
  });

  it('is each of the two that grow among many', () => {
    const quiet = [1, 2, 3, 4, 5].map((n): Told => [`worker ${n}`, 0]);
    expect(culpritOf(['main', 0], ...quiet, ['worker 6', 1], ['worker 7', 1])).toMatchObject({
      process: 'worker 6 (pid 106), worker 7 (pid 107)',
    });
  });

  it('is main where there is no other, and where others are flat', () => {
    expect(culpritOf(['main', 1])).toMatchObject({ process: 'main (pid 100)', role: null });
    expect(culpritOf(['main', 1], ['worker 1', 0])).toMatchObject({
      process: 'main (pid 100)',
      role: 'main',
    });
  });

  it('is the role that grows where the whole tree shows it best', () => {
    const told: Told[] = [
      ['main', 0],
      ['data loader 1', 0.4],
      ['data loader 2', 0.4],
    ];
    expect(culpritOf(...told)).toMatchObject({ process: '2 data loaders', role: 'data loader' });
  });

  it('is not one process where two roles share it', () => {
    const both = culpritOf(['main', 1], ['worker 1', 1], ['server 1', 1]);
    expect(both).toMatchObject({ role: null, process: null });
  });

  it('is nobody where nothing leaks', () => {
    expect(culpritOf(['main', 0], ['worker 1', 0])).toBeNull();
  });
});

describe('the place that a holder names', () => {
  const PLACES: Readonly<Record<string, string | null>> = {
    'list of 120 in losses of __main__': '__main__.losses',
    'history of Trainer': 'Trainer.history',
    'items of class Cache': 'Cache.items',
    'kept of closure make.<locals>.step': 'make.<locals>.step.kept',
    'lru_cache of function features at data.py:4': 'data.py:4',
    'list of 3': null,
    'total in train()': 'total in train()',
    'list of 4 in kept in train() at train.py:12': 'train.py:12',
    '': null,
  };
  for (const [holder, where] of Object.entries(PLACES)) {
    it(`of "${holder}" is ${where}`, () => expect(whereOf(holder)).toBe(where));
  }
});
