import { describe, expect, it } from 'vitest';
import { gpus } from '../../src/analyses/gpu/index.ts';
import { report } from '../../src/analyses/report.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { reportText } from '../../src/views/report/text.ts';
import { addRow } from '../support/rows.ts';

/** Readings of one process in MiB, as an H200 gave them (docs/gpu-outside.md). */
type Told = Readonly<Record<string, readonly (readonly [second: number, mib: number])[]>>;

const OUTSIDE: Told = {
  'outside0.context': [[2, 518]],
  'outside0.grown': [
    [3, 92],
    [4, 66],
    [4.5, 8],
  ],
  'outside0.nccl': [
    [5, 558],
    [6, 946],
  ],
  'outside0.graphs': [
    [7, 2],
    [8, 38],
  ],
  'outside0.held': [
    [2, 518],
    [3, 610],
    [4, 676],
    [4.5, 684],
    [5, 1242],
    [6, 1630],
    [7, 1632],
    [8, 1668],
    [9.5, 1670],
    [12, 1670],
  ],
};
const LINES = [
  [3, 'serve.py:40', 'warm'],
  [4, 'serve.py:41', 'warm'],
  [4.5, 'serve.py:40', 'warm'],
] as const;

/** The driver counts `mib`, torch had reserved 3000 of them. */
function recordingOf(
  told: Told,
  { mib = 4670, from = 9, lines = LINES as readonly (readonly [number, string, string])[] } = {},
) {
  const builder = new RecordingBuilder({
    id: 'x',
    name: 'x',
    argv: ['python', 'serve.py'],
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
  for (const second of [from, from + 0.5, from + 1]) {
    const time = second * SECOND_NS;
    addRow(builder, 'gpu', { time, gpu: 0, used: (mib + 10) * MiB, reserved: 615 * MiB });
    addRow(builder, 'gpu_process', { time, gpu: 0, pid: 7, used: mib * MiB });
  }
  const rows = [
    ...[from + 0.1, from + 0.6].flatMap((second) =>
      [
        ['torch0.allocated', 2800],
        ['torch0.reserved', 3000],
        ['torch0.peak', 2800],
        ['torch0.requested', 2799],
      ].map(([name, value]) => ({ second, name: `${name}`, value: Number(value) })),
    ),
    ...Object.entries(told).flatMap(([name, values]) =>
      values.map(([second, value]) => ({ second, name, value })),
    ),
  ].sort((a, b) => a.second - b.second);
  for (const { second, name, value } of rows) {
    addRow(builder, 'counters', { time: second * SECOND_NS, pid: 7, name, value: value * MiB });
  }
  for (const [second, place, name] of lines) {
    addRow(builder, 'moments', {
      ...{ time: second * SECOND_NS, pid: 7, rank: Number.NaN, of: 'outside0', place },
      ...{ function: name, pass: 'forward', module: '', grad: 1 },
    });
  }
  addRow(builder, 'marks', { time: 0, time_from: TIME_FROM.agent, kind: 'start', name: 'start' });
  return builder.build();
}

const accountOf = (...args: Parameters<typeof recordingOf>) =>
  gpus(recordingOf(...args)).gpus[0]!.accounting!;
const rowsOf = (...args: Parameters<typeof recordingOf>) =>
  accountOf(...args).rows.map(({ what, bytes }) => [what, bytes / MiB]);

describe('what a process holds outside torch', () => {
  it('is split by what the process told, to the byte', () => {
    const { rows, usedBytes, outside } = accountOf(OUTSIDE);
    expect(rows.map(({ what, bytes }) => [what, bytes / MiB])).toEqual([
      ['context', 518],
      ['NCCL', 946],
      ['CUDA graphs', 38],
      ['other outside torch', 168],
      ['reserved but free', 200],
      ['live', 2800],
      ['held by no listed process', 10],
    ]);
    expect(rows.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(usedBytes);
    expect(outside).toMatchObject({
      bytes: 1670 * MiB,
      contextBytes: 518 * MiB,
      ncclBytes: 946 * MiB,
      graphsBytes: 38 * MiB,
      otherBytes: 168 * MiB,
      unsplitBytes: 0,
    });
  });

  it('names the lines that what is left came with, the largest first', () => {
    expect(accountOf(OUTSIDE).outside!.growths).toEqual([
      { pid: 7, bytes: 100 * MiB, seconds: 3, place: 'serve.py:40', function: 'warm' },
      { pid: 7, bytes: 66 * MiB, seconds: 4, place: 'serve.py:41', function: 'warm' },
    ]);
    const text = reportText(report(recordingOf(OUTSIDE)));
    expect(text).toMatch(/context +518 MiB +driver less torch's reserved +7\.00 s before/);
    expect(text).toMatch(
      /came as 100 MiB at serve\.py:40 in warm\(\) \(3\.00 s\); 66\.0 MiB at serve\.py:41 in warm\(\)/,
    );
  });

  it('is one part, as before, where nobody told', () => {
    expect(rowsOf({})[0]).toEqual(['context and libraries', 1670]);
    expect(accountOf({}).outside).toMatchObject({ bytes: 1670 * MiB, unsplitBytes: 1670 * MiB });
    // What is told later says nothing of this moment.
    const later: Told = { 'outside0.context': [[15, 518]] };
    expect(rowsOf(later)[0]).toEqual(['context and libraries', 1670]);
  });

  it('gives no part more than there is', () => {
    const parts = rowsOf({ ...OUTSIDE, 'outside0.held': [] }, { mib: 3600 });
    expect(parts.slice(0, 3)).toEqual([
      ['context', 518],
      ['NCCL', 82],
      ['reserved but free', 200],
    ]);
  });
});
