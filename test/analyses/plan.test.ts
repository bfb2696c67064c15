import { describe, expect, it } from 'vitest';
import { plan } from '../../src/analyses/plan/index.ts';
import { GiB, MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { addRow } from '../support/rows.ts';

type At = readonly (readonly [second: number, value: number])[];

interface Process {
  readonly pid: number;
  /** MiB, by the driver. */
  readonly card?: At;
  readonly torch?: Readonly<Record<'allocated' | 'reserved' | 'peak', At>>;
  readonly resident?: At;
  /** Of somebody else: on the card, not of this run. */
  readonly foreign?: true;
}

interface Said {
  readonly pid?: number;
  readonly worker?: string;
  readonly what: string;
  readonly value: number;
  readonly second?: number;
}

/** Parts in MiB, the rest as it is. */
const PLAN: readonly Said[] = [
  { what: 'weights', value: 8000 * MiB },
  { what: 'kv', value: 4000 * MiB },
  { what: 'activations', value: 1000 * MiB },
  { what: 'outside', value: 600 * MiB },
];

const CARD_MIB = 20_000;
/** Recorded from second 5 and serving from second 10; its peak on the card is at second 12. */
const ENGINE: Process = {
  pid: 70,
  card: [
    [5, 15_500],
    [10, 13_900],
    [11, 14_000],
    [12, 14_600],
    [13, 14_600],
  ],
  torch: {
    // Before it served there was a trial with a larger peak, which is not of serving.
    allocated: [
      [5, 13_000],
      [10, 12_010],
      [11, 12_110],
      [12, 12_310],
      [13, 12_010],
    ],
    reserved: [
      [5, 13_200],
      [10, 13_000],
      [11, 13_000],
      [12, 13_200],
      [13, 13_200],
    ],
    peak: [
      [5, 12_600],
      [10, 12_600],
      [11, 12_600],
      [12, 12_610],
      [13, 12_610],
    ],
  },
};

function recorded(processes: readonly Process[], said: readonly Said[], { cards = true } = {}) {
  const builder = new RecordingBuilder({
    id: 'x',
    name: 'x',
    argv: ['serve'],
    subject: 'command',
    endedAt: '2026-01-02T03:04:06.000Z',
  });
  const ns = (second: number) => second * SECOND_NS;
  const rows: [second: number, add: () => void][] = [];
  for (const { pid, card = [], torch, resident = card, foreign } of processes) {
    for (const [second, mib] of foreign ? [] : resident)
      rows.push([
        second,
        () => addRow(builder, 'process', { time: ns(second), pid, rss: mib * MiB }),
      ]);
    for (const [second, mib] of card)
      rows.push([
        second,
        () => addRow(builder, 'gpu_process', { time: ns(second), gpu: 0, pid, used: mib * MiB }),
      ]);
    for (const [name, values] of Object.entries(torch ?? {}))
      for (const [second, mib] of values)
        rows.push([
          second + 0.1,
          () =>
            addRow(builder, 'counters', {
              ...{ time: ns(second + 0.1), pid, name: `torch0.${name}`, value: mib * MiB },
            }),
        ]);
  }
  for (const second of cards ? [5, 10, 11, 12, 13] : []) {
    const used = processes
      .flatMap(({ card = [] }) => card.filter(([at]) => at === second).map(([, mib]) => mib))
      .reduce((a, b) => a + b, 0);
    const figures = { used: used * MiB, free: (CARD_MIB - used) * MiB, total: CARD_MIB * MiB };
    rows.push([second, () => addRow(builder, 'gpu', { time: ns(second), gpu: 0, ...figures })]);
  }
  for (const { pid = Number.NaN, worker = '', what, value, second = 9 } of said) {
    const figure = { engine: 'vllm', worker, pid, load: 1, what, value, line: 1, wording: 'w' };
    rows.push([second, () => addRow(builder, 'planned', { time: ns(second), ...figure })]);
  }
  for (const [, add] of rows.sort(([a], [b]) => a - b)) add();
  return builder.build();
}

const only = (...args: Parameters<typeof recorded>) => plan(recorded(...args)).engines[0]!;
const inMiB = (bytes: number | null) => (bytes === null ? null : bytes / MiB);

describe('a plan against what the process held on its card', () => {
  it('is split into what stays, work, unused and outside, which add up to the driver’s figure', () => {
    const { measured } = only([ENGINE], PLAN);
    expect(measured).toMatchObject({ pid: 70, who: 'only one', place: 'card', seconds: 12 - 5 });
    const parts = measured!.parts.map(({ what, bytes }) => [what, bytes / MiB]);
    expect(parts).toEqual([
      ['stays', 12_010],
      // Up to torch's own peak while it served, not what it allocated in the trial before.
      ['work', 600],
      ['unused', 13_200 - 12_610],
      ['outside', 14_600 - 13_200],
    ]);
    expect(parts.reduce((sum, [, mib]) => sum + Number(mib), 0)).toBe(14_600);
    expect(inMiB(measured!.bytes)).toBe(14_600);
  });

  it('is compared part by part: the differences add up to the whole one', () => {
    const { compared, cardBytes, measured } = only([ENGINE], PLAN);
    expect(
      compared.map(({ name, plannedBytes, measuredBytes, differenceBytes }) => [
        name,
        inMiB(plannedBytes),
        inMiB(measuredBytes),
        inMiB(differenceBytes),
      ]),
    ).toEqual([
      ['weights and KV pool', 12_000, 12_010, 10],
      ['activations', 1000, 600, -400],
      ['graphs, outside torch, kept unused', 600, 1990, 1390],
    ]);
    const sum = compared.reduce((all, { differenceBytes }) => all + differenceBytes, 0);
    expect(sum).toBe(measured!.bytes - cardBytes!);
  });

  it('takes what graphs took out of the rest once, whether the plan counts them or not', () => {
    const taken = { what: 'graphs-taken', value: 900 * MiB };
    for (const counted of [0, 1]) {
      const graphs = [
        { what: 'graphs', value: 700 * MiB },
        { what: 'graphs-counted', value: counted },
      ];
      const { compared, cardBytes, measured } = only([ENGINE], [...PLAN, ...graphs, taken]);
      const rows = Object.fromEntries(compared.map((one) => [one.name, one]));
      expect(rows['CUDA graphs']).toMatchObject({
        plannedBytes: counted ? 700 * MiB : null,
        measuredBytes: 900 * MiB,
      });
      expect(rows['outside torch, kept unused']).toMatchObject({
        plannedBytes: 600 * MiB,
        measuredBytes: 1090 * MiB,
      });
      const all = compared.reduce((sum, { measuredBytes }) => sum + measuredBytes, 0);
      expect(all).toBe(measured!.bytes);
      const planned = compared.reduce((sum, { plannedBytes }) => sum + (plannedBytes ?? 0), 0);
      expect(planned).toBe(cardBytes);
    }
  });

  it('does not believe more graphs than there is room for', () => {
    const taken = { what: 'graphs-taken', value: 5 * GiB };
    const { compared } = only([ENGINE], [...PLAN, taken]);
    expect(compared.map(({ name }) => name)).toContain('graphs, outside torch, kept unused');
  });

  it('says what share it could ask for: the least that was free, less what planned requests may take', () => {
    const asked = { what: 'utilization', value: 0.7 };
    const { room } = only([ENGINE], [...PLAN, asked]);
    // 20,000 − 14,600 free; 1000 planned for requests of which 600 came, and 150 kept as vLLM does.
    expect(inMiB(room!.leastFreeBytes)).toBe(5400);
    expect(inMiB(room!.keptBytes)).toBe(400 + 150);
    // 0.7 + (5400 − 550) / 20,000 = 0.9425, down to hundredths.
    expect(room!.utilization).toBe(0.94);
  });

  it('is of the driver as a whole where torch tells nothing', () => {
    const { measured, compared, room } = only([{ ...ENGINE, torch: undefined }], PLAN);
    expect(measured!.parts).toEqual([{ what: 'whole', bytes: 14_600 * MiB, from: 'driver' }]);
    expect(compared).toMatchObject([{ name: 'all of it', differenceBytes: 1000 * MiB }]);
    expect(room!.utilization).toBeNull();
  });

  it('ends where it slept', () => {
    const slept = { what: 'asleep', value: 3 * GiB, second: 11.5 };
    expect(inMiB(only([ENGINE], [...PLAN, slept]).measured!.bytes)).toBe(14_000);
  });
});

describe('whose plan it is', () => {
  const trainer: Process = { pid: 71, card: [[12, 15_000]] };
  const named = (pid: number, worker = '') => PLAN.map((one) => ({ ...one, pid, worker }));

  it('is the process that the log names, though another one holds more', () => {
    const { measured } = only([ENGINE, trainer], named(70));
    expect(measured).toMatchObject({ pid: 70, who: 'named' });
  });

  it('is not guessed where several are on the card and none is named', () => {
    const { engines, notes } = plan(recorded([ENGINE, trainer], PLAN));
    expect(engines[0]).toMatchObject({ measured: null, compared: [], room: null });
    expect(notes).toEqual([expect.stringMatching(/2 processes held memory on the card/)]);
  });

  it('is nobody of other people on the card, whatever number a container gives it', () => {
    const foreign = { pid: 9, card: [[12, 2000]], foreign: true } as const;
    const { measured } = only([ENGINE, foreign], named(9));
    expect(measured).toMatchObject({ pid: 70, who: 'only one' });
    expect(only([foreign], named(9)).measured).toBeNull();
  });

  it('is not the same process for two workers whose numbers are of a container', () => {
    const two = [...named(507, 'TP0'), ...named(508, 'TP1')];
    const { engines, notes } = plan(recorded([ENGINE], two));
    expect(engines.map(({ measured }) => measured)).toEqual([null, null]);
    expect(notes).toEqual([expect.stringMatching(/several processes of this engine/)]);
  });

  it('does not take resident memory for a card’s where the driver lists no process', () => {
    const hidden = { pid: 70, resident: [[12, 3000]] } as const;
    const { engines, notes } = plan(recorded([hidden], PLAN));
    expect(engines[0]!.measured).toBeNull();
    expect(notes).toEqual([expect.stringMatching(/the driver tells of no process of this run/)]);
    const without = only([hidden], PLAN, { cards: false });
    expect(without.measured).toMatchObject({ place: 'host', bytes: 3000 * MiB });
  });
});
