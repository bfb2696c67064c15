import { describe, expect, it } from 'vitest';
import { compare } from '../../src/analyses/compare/index.ts';
import { iterationOverlay } from '../../src/analyses/iteration-overlay.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { addRow } from '../support/rows.ts';

/** A card's MiB each tenth of a second, and when each iteration was told. */
function run(
  name: string,
  mib: readonly number[],
  marks: readonly { second: number; iteration: number | null; epoch?: number }[],
) {
  const builder = new RecordingBuilder({ id: name, name });
  for (const [i, value] of mib.entries()) {
    addRow(builder, 'gpu', { time: (i * SECOND_NS) / 10, gpu: 0, used: value * MiB });
  }
  for (const { second, iteration, epoch = null } of marks) {
    const mark = { time: second * SECOND_NS, pid: 1, kind: 'iteration' };
    addRow(builder, 'marks', { ...mark, epoch, iteration });
  }
  return { name, recording: builder.build() };
}

const flat = (length: number) => Array.from({ length }, (_, i) => i);

describe('runs by the number of their iterations', () => {
  it('lie on each other however long an iteration took', () => {
    const fast = run(
      'fast',
      flat(41),
      [1, 2, 3].map((i) => ({ second: i, iteration: i })),
    );
    const slow = run(
      'slow',
      flat(81),
      [1, 2, 3].map((i) => ({ second: 2 * i, iteration: i })),
    );
    const { lines } = iterationOverlay([fast, slow]);
    const at = (line: (typeof lines)[number], iteration: number) =>
      line.bytes[line.iterations.indexOf(iteration)]! / MiB;
    expect([at(lines[0]!, 2), at(lines[1]!, 2)]).toEqual([20, 40]);
    expect(lines[0]!.iterations[5]).toBeCloseTo(0.5, 9);
    expect(lines.map(({ peak }) => peak.iteration)).toEqual([4, 4]);
  });

  it('leaves out what is far before the first and after the last', () => {
    const one = run('one', flat(200), [
      { second: 10, iteration: 10 },
      { second: 11, iteration: 20 },
      { second: 12, iteration: 30 },
    ]);
    const [line] = iterationOverlay([one], { baseline: 'absolute' }).lines;
    expect([line!.iterations[0], line!.iterations.at(-1)]).toEqual([0, 40]);
    expect(line!.bytes[0]).toBe(90 * MiB);
  });

  it('counts on where each epoch begins anew', () => {
    const marks = [1, 2].flatMap((epoch) =>
      [1, 2].map((iteration) => ({ second: 2 * epoch + iteration, iteration, epoch })),
    );
    const [line] = iterationOverlay([run('epochs', flat(100), marks)]).lines;
    expect(line!.bytes[line!.iterations.indexOf(4)]).toBe(60 * MiB);
  });

  it('says which run has none', () => {
    const none = run('none', flat(10), []);
    expect(iterationOverlay([none])).toMatchObject({
      lines: [],
      skipped: [{ name: 'none', reason: 'it tells of fewer than two iterations' }],
    });
  });
});

it('takes as long as its number says where a log names every tenth only', () => {
  const every = (step: number) =>
    run(
      `every ${step}`,
      flat(41),
      flat(4).map((i) => ({ second: i, iteration: i * step })),
    );
  const { runs } = compare([every(1), every(10)]);
  expect(runs.map(({ secondsPerIteration }) => secondsPerIteration)).toEqual([1, 0.1]);
  // 0 to 3, and 0 to 30: of a log that begins at its tenth, those before it count too.
  expect(runs.map(({ iterations }) => iterations)).toEqual([4, 31]);
  const tenths = run(
    'tenths',
    flat(41),
    flat(20).map((i) => ({ second: i / 10, iteration: 10 * (i + 1) })),
  );
  const resumed = run(
    'resumed',
    flat(41),
    flat(3).map((i) => ({ second: i, iteration: 5010 + 10 * i })),
  );
  const epochs = run(
    'epochs',
    flat(41),
    flat(10).map((i) => ({ second: i / 10, epoch: Math.floor(i / 5), iteration: i % 5 })),
  );
  const counted = compare([tenths, resumed, epochs]).runs.map(({ iterations }) => iterations);
  expect(counted).toEqual([200, 30, 10]);
});
