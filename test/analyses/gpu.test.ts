import { describe, expect, it } from 'vitest';
import { visibleCards } from '../../src/analyses/gpu/cards-in-use.ts';
import { gpus } from '../../src/analyses/gpu/index.ts';
import { report } from '../../src/analyses/report.ts';
import { defaultSeries } from '../../src/analyses/timeline.ts';
import { MiB } from '../../src/base/bytes.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { GpuMeasuring } from '../../src/model/run.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { reportMarkdown } from '../../src/views/report/markdown.ts';
import { reportText } from '../../src/views/report/text.ts';
import { addRow } from '../support/rows.ts';

const MEASURING: GpuMeasuring = {
  source: 'nvml',
  driver: '570',
  processIds: 'ours',
  visible: null,
  pciOrder: false,
  opened: null,
  notes: [],
};

/** used: MiB by second for each card; held: [second, card, pid, MiB or null]; members: pid → rank. */
interface GpuUse {
  readonly used: readonly (readonly number[])[];
  readonly held?: readonly (readonly [number, number, number, number | null])[];
  readonly members?: Readonly<Record<number, number | null>>;
  readonly measuring?: Partial<GpuMeasuring>;
}

function gpuRecording({ used, held = [], members = {}, measuring = {} }: GpuUse): Recording {
  const builder = new RecordingBuilder({
    id: 'x',
    name: 'x',
    argv: ['train'],
    subject: 'command',
    endedAt: '2026-01-02T03:04:06.000Z',
    gpu: { ...MEASURING, ...measuring },
    gpus: used.map((_, index) => ({
      index,
      uuid: `GPU-${index}`,
      name: 'H200',
      memoryBytes: 141_000 * MiB,
    })),
  });
  for (const [pid, rank] of Object.entries(members)) {
    const role = `worker ${pid}`;
    const seen = { start_time: 1, first_seen: 0 };
    addRow(builder, 'processes', { pid: Number(pid), ppid: 1, role, rank, ...seen });
  }
  for (let second = 0; second < used[0]!.length; second++) {
    for (const [card, levels] of used.entries()) {
      const sizes = { used: levels[second]! * MiB, reserved: 600 * MiB, total: 141_000 * MiB };
      addRow(builder, 'gpu', { time: second * 1e9, gpu: card, ...sizes });
    }
  }
  for (const [second, card, pid, mib] of held) {
    const used = mib === null ? null : mib * MiB;
    addRow(builder, 'gpu_process', { time: second * 1e9, gpu: card, pid, used });
  }
  const start = { time_from: TIME_FROM.agent, kind: 'start', name: 'start' };
  addRow(builder, 'marks', { time: 0.5e9, ...start });
  return builder.build();
}

const factsOf = (what: GpuUse) => gpus(gpuRecording(what)).gpus;

describe('where the memory of a GPU was', () => {
  it('adds up: tree, others, and the rest that nobody explains', () => {
    const [card] = factsOf({
      used: [[800, 9000, 12_000, 900]],
      members: { 7: 0, 8: 1 },
      held: [
        [1, 0, 7, 4000],
        [2, 0, 7, 6000],
        [2, 0, 8, 3000],
        [2, 0, 99, 2000],
        [3, 0, 99, 100],
      ],
    });
    expect(card).toMatchObject({
      usedByTree: true,
      baselineBytes: 800 * MiB,
      peak: { bytes: 12_000 * MiB, seconds: 1.5 },
      accounting: {
        seconds: 1.5,
        treeBytes: 9000 * MiB,
        otherBytes: 2000 * MiB,
        reservedBytes: 600 * MiB,
        unexplainedBytes: 1000 * MiB,
      },
    });
    expect(card!.accounting!.processes.map(({ pid, rank }) => [pid, rank])).toEqual([
      [7, 0],
      [8, 1],
      [99, null],
    ]);
    expect(card!.notes).toEqual([
      "1000 MiB belonged to no process that the driver lists: those of other containers, or the driver's own (800 MiB were in use before the start)",
    ]);
  });

  it('says when the processes add up to more, and when the driver does not tell', () => {
    const [card] = factsOf({
      used: [[0, 1000]],
      members: { 7: null },
      held: [
        [1, 0, 7, 1200],
        [1, 0, 99, null],
      ],
    });
    expect(card!.accounting).toMatchObject({ unexplainedBytes: -200 * MiB, otherBytes: null });
    expect(card!.notes).toEqual([
      'the driver does not tell how much 1 process (pid 99) held',
      "the processes' figures add up to 200 MiB more than the card held: memory that they share is counted for each",
    ]);
  });

  it('takes an empty list for nobody, and a missing one for not known', () => {
    const used = [
      [0, 10],
      [0, 10],
    ];
    const [listed, unlisted] = factsOf({
      used,
      members: { 7: null },
      held: [
        [1, 0, 0, 0],
        [1, 1, 0, null],
      ],
    });
    expect(listed!.accounting).toMatchObject({ processes: [], unexplainedBytes: 10 * MiB });
    expect(unlisted!.accounting).toBeNull();
    expect(factsOf({ used })[0]!.accounting).toBeNull();
  });

  it('takes the list of the same state, not the nearest one', () => {
    const [card] = factsOf({
      used: [[0, 10, 500, 500, 500]],
      members: { 7: null },
      held: [
        [1, 0, 7, 10],
        [4, 0, 7, 490],
      ],
    });
    expect(card!.accounting).toMatchObject({ seconds: 3.5, treeBytes: 490 * MiB });
    expect(card!.notes).toEqual([]);
  });

  it('says when the processes were listed at another level', () => {
    const [card] = factsOf({
      used: [[0, 10, 10, 10, 500]],
      members: { 7: null },
      held: [[1, 0, 7, 10]],
    });
    expect(card!.notes[0]).toBe(
      'the processes were listed 3.00 s before the peak, when the card held 10.0 MiB: their figures are of that moment',
    );
  });

  it('names ranks that keep a context on a card that is not theirs', () => {
    const facts = factsOf({
      used: [
        [0, 31_000],
        [0, 30_000],
        [0, 30_000],
      ],
      members: { 10: 0, 11: 1, 12: 2 },
      held: [
        [1, 0, 10, 30_000],
        [1, 0, 11, 418],
        [1, 0, 12, 420],
        [1, 1, 11, 29_500],
        [1, 2, 12, 29_600],
      ],
    });
    expect(facts[0]!.strays).toMatchObject([
      { pid: 12, rank: 2, bytes: 420 * MiB, ownGpu: 2 },
      { pid: 11, rank: 1, bytes: 418 * MiB, ownGpu: 1 },
    ]);
    expect(facts[0]!.notes.at(-1)).toBe(
      '2 processes keep 838 MiB on GPU 0, which is not their own: worker 12, rank 2, pid 12 (420 MiB, its own is GPU 2); ' +
        'worker 11, rank 1, pid 11 (418 MiB, its own is GPU 1). Call torch.cuda.set_device(local_rank) before anything else ' +
        'touches CUDA, or give each process its own card with CUDA_VISIBLE_DEVICES',
    );
    expect(facts.slice(1).flatMap(({ strays }) => strays)).toEqual([]);
  });

  it('leaves a model that is spread over cards alone', () => {
    const facts = factsOf({
      used: [
        [0, 20_000],
        [0, 900],
      ],
      members: { 10: null },
      held: [
        [1, 0, 10, 20_000],
        [1, 1, 10, 500],
      ],
    });
    expect(facts.flatMap(({ strays }) => strays)).toEqual([]);
    expect(facts.map(({ usedByTree }) => usedByTree)).toEqual([true, true]);
  });

  it('goes by growth where the driver names nobody, among the cards that could be used', () => {
    const used = [
      [800, 4000],
      [800, 5000],
      [800, 810],
    ];
    const members = { 7: null };
    const usedBy = (measuring: Partial<GpuMeasuring>) =>
      factsOf({ used, members, measuring }).map(({ usedByTree }) => usedByTree);
    expect(usedBy({ processIds: 'none' })).toEqual([true, true, false]);
    expect(usedBy({ processIds: 'foreign', opened: [1, 2] })).toEqual([false, true, false]);
    expect(usedBy({ processIds: 'none', visible: 'GPU-0' })).toEqual([true, false, false]);
    expect(usedBy({ processIds: 'foreign', opened: [] })).toEqual([false, false, false]);
    // It names processes, none of them ours, and none of ours opened a card: others made it grow.
    expect(usedBy({ processIds: 'ours' })).toEqual([false, false, false]);
    expect(usedBy({ processIds: 'ours', opened: [0] })).toEqual([true, false, false]);
    const [card] = factsOf({ used, members, measuring: { processIds: 'foreign' } });
    expect(card!.notes[0]).toMatch(
      /^the driver shows process ids of the host; per-process GPU figures cannot be matched/,
    );
  });

  it('reads CUDA_VISIBLE_DEVICES as CUDA does', () => {
    const card = (index: number, name = 'H200') => ({
      index,
      uuid: `GPU-${'abc'[index]}0-1`,
      name,
      memoryBytes: 1,
    });
    const same = [card(0), card(1), card(2)];
    const allowed = (visible: string | null, cards = same, pciOrder = false) => {
      const isAllowed = visibleCards({ visible, pciOrder }, cards);
      return cards.map(({ index }) => index).filter(isAllowed);
    };
    expect(allowed(null)).toEqual([0, 1, 2]);
    expect(allowed('2,0')).toEqual([0, 2]);
    expect(allowed('GPU-b0')).toEqual([1]);
    expect(allowed('')).toEqual([]);
    expect(allowed('0,nonsense,1')).toEqual([0]);
    expect(allowed('-1')).toEqual([]);
    // Cards of two kinds: CUDA puts the faster one first, unless told to go by the bus.
    const mixed = [card(0, 'T4'), card(1, 'H200')];
    expect(allowed('0', mixed)).toEqual([0, 1]);
    expect(allowed('0', mixed, true)).toEqual([0]);
  });

  it('is in the answer, the pages and the chart', () => {
    const told = report(
      gpuRecording({
        used: [
          [0, 12_000],
          [0, 9000],
        ],
        members: { 7: 3 },
        held: [
          [1, 0, 7, 11_900],
          [1, 1, 7, 9000],
        ],
      }),
    );
    const text = reportText(told);
    expect(text).toMatch(/^Peak 11\.7 GiB on GPU 0 at 0\.50 s, up to 8\.79 GiB on 1 other GPU;/);
    expect(text).toMatch(/^ +worker 7 +11\.6 GiB +7 +3$/m);
    expect(reportMarkdown(told)).toContain('|  | worker 7 | 11.6 GiB | 7 | 3 |');
    expect(defaultSeries(told)).toEqual(['gpu0.used', 'gpu1.used']);
  });
});
