import { describe, expect, it } from 'vitest';
import { sleepsOf } from '../../src/analyses/plan/sleeps.ts';
import { report } from '../../src/analyses/report.ts';
import { GiB, MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { EngineTextReader } from '../../src/formats/log-lines/engines/reader.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { reportText } from '../../src/views/report/text.ts';
import { addRow } from '../support/rows.ts';

const CYCLE = 20;

interface Story {
  /** On the card while it sleeps, in MiB, in each cycle. */
  readonly held: readonly number[];
  readonly pid?: number;
  /** Beside it, on the same card: a trainer that becomes larger and smaller by turns of its own. */
  readonly trainer?: (second: number) => number;
  readonly saysWoke?: boolean;
  readonly marks?: true;
}

/** An engine of 30 GiB that sleeps in the later half of each 20 s, and what torch and the driver say each second. */
function story({ held, pid, trainer, saysWoke = true, marks }: Story) {
  const builder = new RecordingBuilder({
    ...{ id: 'told', name: 'told', argv: ['rl'], subject: 'command' },
    endedAt: '2026-01-01T00:10:00.000Z',
  });
  const planned = { engine: 'vllm', version: '0.10.2', worker: '', load: 1, device: '', line: 1 };
  for (let second = 0; second < held.length * CYCLE; second++) {
    const now = { time: second * SECOND_NS };
    const [cycle, at] = [Math.floor(second / CYCLE), second % CYCLE];
    // It frees before it says so, and takes memory again before it says that it woke.
    const asleep = at >= 9 && at < 19;
    const bytes = asleep ? held[cycle]! * MiB : 30 * GiB;
    for (const [one, used] of [
      [70, bytes],
      ...(trainer ? ([[71, trainer(second)]] as const) : []),
    ] as const) {
      const sizes = { rss: GiB, anon: GiB, file: 0, shmem: 0, swap: 0, pss: GiB };
      addRow(builder, 'process', { ...now, pid: one, ...sizes });
      addRow(builder, 'gpu_process', { ...now, gpu: 0, pid: one, used });
    }
    const told = {
      'torch0.reserved': asleep ? 0 : 28 * GiB,
      'outside0.graphs': asleep ? (held[cycle]! - 2000) * MiB : GiB,
      'outside0.context': 1600 * MiB,
    };
    for (const [name, value] of Object.entries(told))
      addRow(builder, 'counters', { ...now, pid: 70, name, value });
    const figure = { ...now, ...planned, pid: pid ?? Number.NaN };
    if (at === 10 && !marks) {
      addRow(builder, 'planned', {
        ...figure,
        what: 'freed',
        value: 30 * GiB - bytes,
        wording: 'Sleep mode freed',
      });
      addRow(builder, 'planned', {
        ...figure,
        what: 'asleep',
        value: bytes,
        wording: 'Sleep mode freed',
      });
    }
    if (at === 19 && saysWoke && !marks)
      addRow(builder, 'planned', {
        ...figure,
        pid: 99,
        worker: 'EngineCore',
        what: 'woke',
        value: 1,
        wording: 'wake up',
      });
    const mark = { ...now, time_from: TIME_FROM.agent, kind: 'phase', iteration: Number.NaN };
    if (marks && at === 10) addRow(builder, 'marks', { ...mark, pid: 70, name: 'sleep' });
    if (marks && at === 19) addRow(builder, 'marks', { ...mark, pid: 70, name: '/sleep' });
    if (marks && at === 0) addRow(builder, 'marks', { ...mark, pid: 70, name: 'rollout' });
    if (marks && at === 8) addRow(builder, 'marks', { ...mark, pid: 70, name: '/rollout' });
  }
  for (const one of trainer ? [70, 71] : [70]) {
    const seen = { start_time: 1, first_seen: 0, last_seen: held.length * CYCLE * SECOND_NS };
    addRow(builder, 'processes', {
      pid: one,
      argv: 'python rl.py',
      name: 'python',
      role: 'main',
      ...seen,
    });
  }
  return builder.build();
}

const GROWS = [4000, 7600, 11_200, 14_800];

describe('an engine that sleeps', () => {
  it('is told with what it still holds, part by part, and by how much that grows', () => {
    const { sleepers } = sleepsOf(story({ held: GROWS }));
    expect(sleepers).toMatchObject([{ pid: 70, engine: 'vllm', place: 'card', who: 'only one' }]);
    const [{ cycles, growth }] = sleepers as [(typeof sleepers)[number]];
    expect(cycles.map(({ heldBytes }) => heldBytes / MiB)).toEqual(GROWS);
    expect(cycles.map(({ awakeBytes }) => awakeBytes)).toEqual(Array(4).fill(30 * GiB));
    expect(cycles.at(-1)!.parts).toEqual([
      { what: 'graphs', bytes: 12_800 * MiB },
      { what: 'context', bytes: 1600 * MiB },
      { what: 'other', bytes: 400 * MiB },
    ]);
    expect(growth!.bytesPerCycle).toBeCloseTo(3600 * MiB, -3);
    expect(growth!.low).toBeGreaterThan(3500 * MiB);
    const text = reportText(report(story({ held: GROWS })));
    expect(text).toMatch(
      /asleep, vLLM, process 70 \(the only process\) still held 14\.5 GiB on cards: 12\.5 GiB graphs, 1\.56 GiB context, 400 MiB other;/,
    );
    expect(text).toMatch(/growing 3\.52 GiB a cycle \(95 %: .*\) over 4 sleeps/);
  });

  it('is not said to grow where sleeps differ, nor where there are two', () => {
    const [differ] = sleepsOf(story({ held: [4000, 4400, 3900, 4200] })).sleepers;
    expect(differ!.growth!.low).toBeLessThan(0);
    expect(reportText(report(story({ held: [4000, 4400, 3900, 4200] })))).toContain(
      'no growth from sleep to sleep was shown',
    );
    expect(sleepsOf(story({ held: [4000, 7600] })).sleepers[0]!.growth).toBeNull();
  });

  it('is told from a trainer beside it by becoming smaller, and by nothing else', () => {
    const trainer = (second: number) => (second < 35 ? 60 : 30) * GiB;
    const [found] = sleepsOf(story({ held: GROWS, trainer })).sleepers;
    expect(found).toMatchObject({ pid: 70, who: 'became smaller' });
    // One that becomes smaller whenever the engine does: nobody knows which of them it is.
    const alike = (second: number) => (second % CYCLE >= 9 && second % CYCLE < 19 ? 2 : 40) * GiB;
    expect(sleepsOf(story({ held: GROWS, trainer: alike })).sleepers).toEqual([]);
    expect(sleepsOf(story({ held: GROWS, trainer: alike, pid: 70 })).sleepers).toMatchObject([
      { pid: 70, who: 'named' },
    ]);
  });

  it('is told by marks of the program too, with the most of each phase', () => {
    const { sleepers, phases } = sleepsOf(story({ held: GROWS, marks: true }));
    expect(sleepers).toMatchObject([{ pid: 70, engine: '', who: 'named' }]);
    expect(phases).toMatchObject([
      { pid: 70, name: 'rollout', times: 4, seconds: 32, peakBytes: 30 * GiB, place: 'card' },
      { pid: 70, name: 'sleep', times: 4, seconds: 36, peakBytes: 30 * GiB },
    ]);
  });

  it('that never says that it woke is known by its words about sleep alone', () => {
    const [found] = sleepsOf(story({ held: [4000, 4100, 4200], saysWoke: false })).sleepers;
    // The last sleep has no end; of the others the moment at which it told.
    expect(found!.cycles.map(({ untilSeconds }) => untilSeconds)).toEqual([10, 30, null]);
  });
});

describe("vLLM's word that it woke", () => {
  it('is read, and is no part of a plan', () => {
    const reader = new EngineTextReader();
    for (const line of [
      'INFO 05-13 12:00:01 [gpu_model_runner.py:1801] Model loading took 14.9596 GiB and 9.5 seconds',
      '(EngineCore_DP0 pid=685) INFO 05-13 12:02:31 [gpu_worker.py:110] Sleep mode freed 60.04 GiB memory, 5.12 GiB memory is still in use.',
      "(EngineCore_DP0 pid=685) INFO 05-13 12:02:31 [abstract.py:330] It took 0.005755 seconds to wake up tags {'weights', 'kv_cache'}.",
    ])
      reader.push(line);
    expect(reader.end()!.figures.map(({ what }) => what)).toEqual([
      'weights',
      'freed',
      'asleep',
      'woke',
    ]);
  });
});
