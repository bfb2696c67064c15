import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { report } from '../../src/analyses/report.ts';
import { GiB, MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { reportText } from '../../src/views/report/text.ts';
import { addRow } from '../support/rows.ts';

const STEPS = 200;
const TENTH = 0.1 * SECOND_NS;
const CARD = 24 * GiB;

/** 200 iterations, a tenth of a second each, of a training that keeps 16 MiB of its card in each; then the card is empty. */
function training(cards: readonly number[]): Recording {
  const builder = new RecordingBuilder({ id: 'g', name: 'g', argv: ['train'], subject: 'command' });
  const born = { start_time: 1, first_seen: 0, name: 'train', role: 'main', argv: 'train' };
  addRow(builder, 'processes', { ...born, pid: 7 });
  const mark = { time_from: TIME_FROM.agent };
  addRow(builder, 'marks', { ...mark, time: 0, kind: 'start' });
  for (let step = 0; step <= STEPS + 20; step++) {
    const time = step * TENTH;
    const lives = step < STEPS;
    const used = lives ? 2 * GiB + step * 16 * MiB : 0;
    for (const gpu of [0, 1]) {
      const here = cards.includes(gpu) ? used : 0;
      addRow(builder, 'gpu', {
        time,
        gpu,
        used: here,
        free: CARD - here,
        total: CARD,
        reserved: 0,
      });
      if (here > 0) addRow(builder, 'gpu_process', { time, gpu, pid: 7, used: here });
    }
    if (!lives) continue;
    addRow(builder, 'marks', { ...mark, time, kind: 'iteration', iteration: step });
    const bytes = 500 * MiB;
    const sizes = { rss: bytes, anon: bytes, file: 0, shmem: 0, swap: 0, pss: bytes };
    addRow(builder, 'process', { time, pid: 7, ...sizes });
    const value = 1.5 * GiB + step * 16 * MiB;
    addRow(builder, 'counters', { time, pid: 7, name: 'torch0.allocated', value });
  }
  addRow(builder, 'marks', { ...mark, time: STEPS * TENTH, kind: 'end' });
  return builder.build();
}

describe('a leak on a card', () => {
  it('tells when the card is full, by what the driver had left of it', () => {
    const recording = training([1]);
    const { trend } = leak(recording);
    expect(trend).toMatchObject({ series: 'torch0.allocated', verdict: 'leak', exhausts: 'card' });
    // 24 GiB less 2 GiB and 199 times 16 MiB, at 160 MiB a second.
    expect(trend!.exhaustionSeconds).toBeCloseTo((22 * GiB - 199 * 16 * MiB) / (160 * MiB), 0);
    expect(reportText(report(recording))).toMatch(/until full +2 min .*\(the card\)/);
  });

  it('tells nothing where nobody knows which of two cards it is', () => {
    expect(leak(training([0, 1])).trend).toMatchObject({ verdict: 'leak', exhausts: null });
  });
});
