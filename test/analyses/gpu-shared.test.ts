import { describe, expect, it } from 'vitest';
import { gpus } from '../../src/analyses/gpu/index.ts';
import { liveByCategory } from '../../src/analyses/gpu/live-by-category.ts';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { cardAccounts } from '../../src/views/report/gpu.ts';
import { reportText } from '../../src/views/report/text.ts';
import { addRow } from '../support/rows.ts';

/** Figures in MiB as an H200 gave them; ours is pid 7, others are those with any other number. */
interface Card {
  readonly used: readonly (readonly [second: number, mib: number])[];
  readonly held: readonly (readonly [second: number, pid: number, mib: number])[];
  /** What torch told in our process. */
  readonly torch?: readonly (readonly [
    second: number,
    allocated: number,
    reserved: number,
    peak: number,
  ])[];
  /** What ran when its torch was higher than before. */
  readonly ran?: readonly (readonly [second: number, of: string, line: number])[];
}

function recordingOf({ used, held, torch = [], ran = [] }: Card) {
  const builder = new RecordingBuilder({
    id: 'x',
    name: 'x',
    argv: ['python', 'train.py'],
    subject: 'command',
    endedAt: '2026-01-02T03:04:06.000Z',
    gpu: {
      source: 'nvml',
      driver: '580',
      processIds: 'ours',
      visible: null,
      pciOrder: false,
      opened: [],
      notes: [],
    },
    gpus: [{ index: 0, uuid: 'GPU-0', name: 'NVIDIA H200', memoryBytes: 143_771 * MiB }],
  });
  const seen = { start_time: 1, first_seen: 0, last_seen: 20 * SECOND_NS };
  addRow(builder, 'processes', { pid: 7, ppid: 1, role: 'main', ...seen });
  for (const [second, mib] of used) {
    const time = second * SECOND_NS;
    addRow(builder, 'gpu', { time, gpu: 0, used: mib * MiB, reserved: 615 * MiB });
  }
  for (const [second, pid, mib] of held) {
    addRow(builder, 'gpu_process', { time: second * SECOND_NS, gpu: 0, pid, used: mib * MiB });
  }
  for (const [second, allocated, reserved, peak] of torch) {
    const told = { time: second * SECOND_NS, pid: 7 };
    addRow(builder, 'counters', { ...told, name: 'torch0.allocated', value: allocated * MiB });
    addRow(builder, 'counters', { ...told, name: 'torch0.reserved', value: reserved * MiB });
    addRow(builder, 'counters', { ...told, name: 'torch0.peak', value: peak * MiB });
    const requested = (allocated - 1) * MiB;
    addRow(builder, 'counters', { ...told, name: 'torch0.requested', value: requested });
  }
  for (const [second, of, line] of ran) {
    addRow(builder, 'moments', {
      ...{ time: second * SECOND_NS, pid: 7, rank: Number.NaN, of, place: `train.py:${line}` },
      ...{ function: 'evaluate', pass: 'forward', module: 'Block', grad: 2 },
    });
  }
  addRow(builder, 'marks', { time: 0, time_from: TIME_FROM.agent, kind: 'start', name: 'start' });
  return builder.build();
}

const cardOf = (card: Card) => gpus(recordingOf(card)).gpus[0]!;
const sentenceOf = (card: Card) => reportText(report(recordingOf(card))).split('\n')[0];
const rowsOf = (card: Card) =>
  cardOf(card).accounting!.rows.map(({ what, bytes, secondsOff }) => [
    what,
    bytes / MiB,
    Number(secondsOff.toFixed(2)),
  ]);

/** An evaluation beside others: the card is fullest when another one works. */
const BESIDE_OTHERS: Card = {
  used: [
    [0, 8000],
    [11.5, 12_000],
    [11.9, 15_400],
    [13.5, 15_500],
  ],
  held: [
    [11.5, 7, 1302],
    [11.5, 620, 9700],
    [11.9, 7, 3654],
    [11.9, 620, 9100],
    [11.9, 613, 2600],
    [13.5, 7, 1302],
    [13.5, 620, 9100],
    [13.5, 613, 5000],
  ],
  torch: [
    [11.4, 450, 560, 560],
    [11.6, 450, 560, 560],
    [11.89, 450, 2912, 2747],
    [12.1, 450, 2912, 2747],
    [13.4, 450, 560, 2747],
    [13.6, 450, 560, 2747],
  ],
};

/** Nine GiB for two milliseconds: neither driver nor samples of torch's counters saw them. */
const BURST: Card = {
  used: [
    [0, 5900],
    [9, 3800],
    [11.2, 3800],
    [12, 3800],
  ],
  held: [9, 11.23, 12].flatMap((second) => [
    [second, 7, 830] as const,
    [second, 2209, 2956] as const,
  ]),
  torch: [
    [8.9, 73, 88, 73],
    [9.2, 73, 88, 73],
    [11.1, 73, 88, 73],
    [11.3, 73, 88, 9289],
    [12.1, 73, 88, 9289],
  ],
};

describe('a card that others use', () => {
  it("tells the workload's own peak, and what others had then", () => {
    const card = cardOf(BESIDE_OTHERS);
    expect(card.peak).toMatchObject({ bytes: 15_500 * MiB, seconds: 13.5 });
    expect(card.headline).toEqual({
      of: 'workload',
      bytes: 3654 * MiB,
      seconds: 11.9,
      othersBytes: 11_746 * MiB,
    });
    expect(sentenceOf(BESIDE_OTHERS)).toMatch(
      /^Peak 3\.57 GiB on GPU 0 by this workload at 11\.9 s/,
    );
  });

  it('is accounted for to the byte at that moment', () => {
    expect(rowsOf(BESIDE_OTHERS)).toEqual([
      ['context and libraries', 742, 0],
      ['reserved but free', 2462, -0.01],
      ['live', 450, -0.01],
      ['another process, pid 620', 9100, 0],
      ['another process, pid 613', 2600, 0],
      ['held by no listed process', 46, 0],
    ]);
    expect(cardOf(BESIDE_OTHERS).accounting!.usedBytes).toBe(15_400 * MiB);
    expect(cardOf(BESIDE_OTHERS).notes).toEqual([
      'torch handed out up to 2.68 GiB at a moment shortly before 11.9 s, by its own peak counter; 450 MiB were live when it was read at the peak',
    ]);
    const text = reportText(report(recordingOf(BESIDE_OTHERS)));
    expect(text).toMatch(/What held the card at the peak\n.*\n {2}context and libraries +742 MiB/);
    const [bar] = cardAccounts(report(recordingOf(BESIDE_OTHERS)));
    expect(bar!.parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(bar!.bytes);
  });

  it('keeps a peak that is shorter than a sample', () => {
    expect(cardOf(BURST).headline).toEqual({
      of: 'torch',
      bytes: (9289 + 742) * MiB,
      seconds: 11.3,
      othersBytes: 2970 * MiB,
    });
    expect(sentenceOf(BURST)).toMatch(
      /^Peak at least 9\.80 GiB on GPU 0 by this workload shortly before 11\.3 s/,
    );
    const { peaks } = report(recordingOf(BURST));
    expect(peaks.find(({ series }) => series === 'torch0.peak')).toEqual({
      series: 'torch0.peak',
      bytes: 9289 * MiB,
      seconds: 11.3,
    });
    expect(rowsOf(BURST)).toEqual([
      ['context and libraries', 742, 0],
      ['live', 9289, 0],
      ['another process, pid 2209', 2956, -0.07],
      ['held by no listed process', 14, -0.1],
    ]);
  });

  it('does not guess what torch took between two readings', () => {
    const rows = rowsOf({
      used: [
        [0, 500],
        [11, 6000],
      ],
      held: [
        [11, 7, 3240],
        [11, 9, 2700],
      ],
      torch: [
        [10.8, 1536, 1539, 1536],
        [10.99, 1538, 1542, 1538],
      ],
    });
    expect(rows).toEqual([
      ['context and libraries, and what torch took meanwhile', 1698, 0],
      ['reserved but free', 4, -0.01],
      ['live', 1538, -0.01],
      ['another process, pid 9', 2700, 0],
      ['held by no listed process', 60, 0],
    ]);
  });

  it('tells what was live by category, where a snapshot is of just that state', () => {
    const { accounting } = cardOf(BESIDE_OTHERS);
    const card = { ...cardOf(BESIDE_OTHERS), accounting };
    const snapshot = (bytes: number) => ({
      device: 0,
      peakRequestedBytes: bytes,
      categories: [
        { category: 'parameter' as const, bytes: 96 * MiB },
        { category: 'activation' as const, bytes: bytes - 96 * MiB },
      ],
    });
    const rowsWith = (bytes: number) =>
      liveByCategory([card], [snapshot(bytes)])[0]!.accounting!.rows.flatMap(
        ({ what, bytes: held }) => (what.startsWith('live') ? [[what, held / MiB]] : []),
      );
    expect(rowsWith(449 * MiB)).toEqual([
      ['live: parameters', 96],
      ['live: activations', 353],
      ['live: rounding of blocks', 1],
    ]);
    expect(rowsWith(448 * MiB)).toEqual([['live', 450]]);
  });

  it('takes what is outside torch by a reading between two equal looks of the driver', () => {
    const rows = rowsOf({
      used: [
        [0, 500],
        [12.3, 3251],
        [12.6, 3251],
      ],
      held: [
        [12.2, 7, 2900],
        [12.3, 7, 3240],
        [12.4, 7, 3240],
        [12.6, 7, 3240],
      ],
      torch: [
        [12.29, 1539, 1542, 1539],
        [12.5, 2498, 2500, 2498],
      ],
    });
    expect(rows).toEqual([
      ['context and libraries', 740, 0.2],
      ['reserved but free', 2, 0.2],
      ['live', 2498, 0.2],
      ['held by no listed process', 11, 0],
    ]);
  });

  it('has no negative part where the figures add up to more than the card held', () => {
    const shared: Card = {
      used: [
        [0, 500],
        [5, 4000],
      ],
      held: [
        [5, 7, 3000],
        [5, 9, 2500],
      ],
    };
    expect(rowsOf(shared)).toEqual([
      ['this workload', 3000, 0],
      ['others, not known how much each', 1000, 0],
    ]);
    const more = { ...shared, held: [[5, 7, 4500] as const, [5, 9, 2500] as const] };
    expect(rowsOf(more)).toEqual([['not known', 4000, 0]]);
  });
});

describe('a card that the workload has for itself', () => {
  const alone: Card = {
    used: [
      [0, 0],
      [5, 4000],
      [6, 4050],
    ],
    held: [
      [5, 7, 3990],
      [6, 7, 3990],
    ],
    torch: [
      [4.9, 3000, 3250, 3100],
      [6.1, 3000, 3250, 3200],
    ],
  };

  it("keeps the card's peak", () => {
    expect(cardOf(alone).headline).toMatchObject({ of: 'card', bytes: 4050 * MiB });
    expect(sentenceOf(alone)).toMatch(/^Peak 3\.96 GiB on GPU 0 at 6\.00 s/);
    expect(rowsOf(alone).map(([what]) => what)).toContain('context and libraries');
  });

  it("has the peak of torch's own counter where no sample was as high", () => {
    const burst: Card = {
      ...alone,
      torch: [...alone.torch!, [6.3, 3000, 3250, 9000]],
    };
    expect(cardOf(burst).headline).toEqual({
      of: 'torch',
      bytes: (9000 + 740) * MiB,
      seconds: 6.3,
      othersBytes: null,
    });
  });
});

describe('the line that ran at the peak of a card', () => {
  const passageOf = (card: Card) =>
    reportText(report(recordingOf(card)))
      .split('What held the card at the peak\n')[1]!
      .split('\n')[0];

  it('is what the process told nearest to it, in text, JSON and on the page', () => {
    const card: Card = {
      ...BESIDE_OTHERS,
      ran: [
        [11.2, 'torch0', 12],
        [11.9, 'host', 99],
        [11.9, 'torch1', 77],
        [11.95, 'torch0', 41],
      ],
    };
    expect(cardOf(card).running).toMatchObject({
      place: 'train.py:41',
      pass: 'forward',
      grad: true,
    });
    expect(cardOf(card).running!.secondsOff).toBeCloseTo(0.05);
    const words =
      'train.py:41 in evaluate() ran then, in the forward pass of Block, with gradients';
    expect(passageOf(card)).toBe(`  ${words}`);
    expect(cardAccounts(report(recordingOf(card)))[0]!.ran).toBe(words);
  });

  it('says how far off it was told, and nothing that is not of that moment', () => {
    expect(passageOf({ ...BESIDE_OTHERS, ran: [[12.5, 'torch0', 41]] })).toMatch(
      /with gradients \(told 0\.60 s after the peak\)$/,
    );
    const far: Card = { ...BESIDE_OTHERS, ran: [[13.2, 'torch0', 41]] };
    expect(cardOf(far).running).toBeNull();
    expect(passageOf(far)).not.toContain('train.py');
    expect(cardOf(BESIDE_OTHERS).running).toBeNull();
  });

  it('is of the moment that the counter of torch told a peak that no sample saw', () => {
    const burst: Card = { ...BURST, ran: [[11.31, 'torch0', 41]] };
    expect(cardOf(burst).running).toMatchObject({ place: 'train.py:41' });
  });
});
