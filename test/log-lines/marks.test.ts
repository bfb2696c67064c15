import { describe, expect, it } from 'vitest';
import { type LineMark, LineMarker, parseMarkPattern } from '../../src/formats/log-lines/index.ts';
import { random } from '../support/random.ts';
import { ORDINARY } from './ordinary-lines.ts';

/** kind, epoch, iteration, value of each mark. */
type Short = [string, number?, number?, number?];
const short = (marks: readonly LineMark[]): Short[] =>
  marks.map(({ kind, epoch, iteration, value }) => [kind, epoch, iteration, value]);

function feed(...lines: string[]): Short[] {
  const marker = new LineMarker();
  return lines.flatMap((line) => short(marker.feed(line)));
}

const GLOG = 'I0426 11:53:29.875337 12345';
const u = undefined;

describe('lines of trainings', () => {
  it.each<[string, Short[]]>([
    [`${GLOG} solver.cpp:228] Iteration 100, loss = 0.5`, [['iteration', u, 100, 0.5]]],
    [`${GLOG} solver.cpp:218] Iteration 9 (4 iter/s), loss = 2`, [['iteration', u, 9, 2]]],
    [`${GLOG} lenet.ts:17] Iteration 300, loss = 0.25`, [['iteration', u, 300, 0.25]]],
    ['Epoch 3/10', [['epoch', 3, u, u]]],
    ['INFO:root:Epoch 1 finished', [['epoch', 1, u, u]]],
    [' 45%|████▌     | 45/100 [00:10<00:12,  4.5it/s, loss=0.3]', [['iteration', u, 45, 0.3]]],
    ['train:  45%|####5     | 45/100 [1:00:10<?, 4.5s/it]', [['iteration', u, 45, u]]],
    ['45it [00:10, 4.5it/s]', [['iteration', u, 45, u]]],
    [
      'Epoch 2:  45%|████▌     | 45/100 [00:10<00:12,  4.5it/s, v_num=0, train_loss=0.3]',
      [
        ['epoch', 2, u, u],
        ['iteration', 2, 45, 0.3],
      ],
    ],
    [
      "{'loss': 0.5, 'learning_rate': 4.9e-05, 'epoch': 0.12}",
      [
        ['epoch', 0, u, u],
        ['note', 0.12, u, 0.5],
      ],
    ],
    [
      "{'loss': '0.5', 'step': '85', 'epoch': '1.12'}",
      [
        ['epoch', 1, u, u],
        ['iteration', 1, 85, 0.5],
      ],
    ],
    ['step 85/1000', [['iteration', u, 85, u]]],
    ['step 12/150 latency 0.1234', [['iteration', u, 12, u]]],
    ['batch 3/80 top 0.51', [['iteration', u, 3, u]]],
    ['step 12/150: mean = 3, max = 9', [['iteration', u, 12, u]]],
    ['step 1/150 total 7', [['iteration', u, 1, u]]],
    ['batch 12/300 good 3 bad 4', [['iteration', u, 12, u]]],
    ['[12/450] loss: 0.26, hardest: 1.2', [['iteration', u, 12, 0.26]]],
    ['[ 12/450] train_loss 0.26', [['iteration', u, 12, 0.26]]],
    ['Episode 12/300 reward 0.25 epsilon 0.10 replay 120', [['iteration', u, 12, u]]],
    ['Step: 85', [['iteration', u, 85, u]]],
    ['11:53:29 step 85', [['iteration', u, 85, u]]],
    ['2026-04-26 11:53:29.5 INFO step 85', [['iteration', u, 85, u]]],
    ['iter 85', [['iteration', u, 85, u]]],
    [
      '[Epoch 1][Iter 20]',
      [
        ['epoch', 1, u, u],
        ['iteration', 1, 20, u],
      ],
    ],
    [
      'epoch: 1, batch: 20',
      [
        ['epoch', 1, u, u],
        ['iteration', 1, 20, u],
      ],
    ],
    [
      'Epoch: [0][   10/5005]\tTime  0.5 ( 1.2)\tLoss 6.9',
      [
        ['epoch', 0, u, u],
        ['iteration', 0, 10, 6.9],
      ],
    ],
    [
      '[1,  2000] loss: 2.173',
      [
        ['epoch', 1, u, u],
        ['iteration', 1, 2000, 2.173],
      ],
    ],
    [' iteration   10/ 5000 | samples: 80 | lm loss: 1.0E+01 |', [['iteration', u, 10, 10]]],
    ['INFO:tensorflow:loss = 0.5, step = 100 (0.5 sec)', [['iteration', u, 100, 0.5]]],
    ['[Rank 0] step=10, skipped=0, lr=[0.1], mom=[0.9]', [['iteration', u, 10, u]]],
    ['step 100: train loss 4.2874, val loss 4.2823', [['iteration', u, 100, 4.2874]]],
    // The brackets count samples there, not iterations.
    ['Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.3', [['epoch', 1, u, 2.3]]],
    ['{"step": 85, "loss": 0.5}', [['iteration', u, 85, 0.5]]],
    ['{"global_step": 85}', [['iteration', u, 85, u]]],
  ])('%s', (line, marks) => {
    expect(feed(line)).toEqual(marks);
  });

  it('carry their own time', () => {
    const [mark] = new LineMarker().feed(`${GLOG} solver.cpp:228] Iteration 100, loss = 0.5`);
    expect(mark?.stamp).toMatchObject({ month: 4, day: 26, clock: 42809.875337 });
    const json = '{"step": 1, "loss": 2, "timestamp": 1461693209.5}';
    expect(new LineMarker().feed(json)[0]?.stamp).toMatchObject({ unix: 1461693209.5 });
  });

  it("Caffe's test and learning rate are no second mark of an iteration", () => {
    expect(
      feed(
        `${GLOG} solver.cpp:337] Iteration 50, Testing net (#0)`,
        `${GLOG} solver.cpp:228] Iteration 50, loss = 0.5`,
        `${GLOG} sgd_solver.cpp:106] Iteration 50, lr = 0.0099`,
      ),
    ).toEqual([
      ['phase', u, 50, u],
      ['iteration', u, 50, 0.5],
    ]);
  });

  it('Keras counts within an epoch, and its evaluation does not', () => {
    const bar = (n: number, total = 3) => ` ${n}/${total} [==>.....] - ETA: 2s - loss: 0.3`;
    expect(
      feed(
        bar(1),
        'Epoch 1/2',
        bar(1),
        bar(1),
        bar(3),
        'Epoch 2/2',
        bar(2),
        bar(3),
        bar(1),
        bar(1, 9),
      ),
    ).toEqual([
      ['epoch', 1, u, u],
      ['iteration', 1, 1, 0.3],
      ['iteration', 1, 3, 0.3],
      ['epoch', 2, u, u],
      ['iteration', 2, 2, 0.3],
      ['iteration', 2, 3, 0.3],
    ]);
  });
});

describe('counting', () => {
  const bar = (n: number, total: number) => ` 1%|█ | ${n}/${total} [00:10<00:12,  4.5it/s]`;

  it("an evaluation's bar within a training's does not shake the count", () => {
    const lines = [bar(1, 500), bar(60, 500), bar(0, 16), bar(16, 16), bar(61, 500)];
    expect(feed(...lines).map(([, , n]) => n)).toEqual([1, 60, 61]);
  });

  it('a bar that was done makes way for the next', () => {
    const lines = [bar(1, 2), bar(2, 2), bar(1, 500), bar(2, 500)];
    expect(feed(...lines).map(([, , n]) => n)).toEqual([1, 2, 1, 2]);
  });

  it('ranks that repeat each other or lag behind add nothing', () => {
    const lines = [10, 10, 20, 10, 20, 30, 20, 30].map((n) => `step ${n}/1000`);
    expect(feed(...lines).map(([, , n]) => n)).toEqual([10, 20, 30]);
  });

  it('going back makes no epoch; beginning again goes on without one', () => {
    const lines = [1, 2, 3, 2, 1, 2].map((n) => `iter ${n}`);
    expect(feed(...lines)).toEqual([1, 2, 3, 1, 2].map((n) => ['iteration', u, n, u]));
  });

  it('what begins again or comes after an epoch is not part of it', () => {
    const again = feed('Epoch 7', 'iter 1', 'iter 2', 'iter 3', 'iter 1', 'Epoch 8', 'iter 2');
    expect(again.filter(([kind]) => kind === 'iteration').map(([, n]) => n)).toEqual([
      7,
      7,
      7,
      u,
      8,
    ]);
    const after = feed('Epoch 7', bar(1, 2), bar(2, 2), bar(1, 30));
    expect(after.map(([, n]) => n)).toEqual([7, 7, 7, u]);
  });

  it('an epoch that is announced lets the count begin again', () => {
    const marks = feed('Epoch 1', 'iter 5', 'iter 9', 'Epoch 2', 'iter 5', 'Epoch 1', 'iter 9');
    expect(marks.filter(([kind]) => kind === 'epoch').map(([, n]) => n)).toEqual([1, 2]);
    expect(marks.at(-1)).toEqual(['iteration', 2, 9, u]);
  });
});

describe('ordinary lines', () => {
  it.each(ORDINARY)('%s', (line) => {
    expect(feed(line)).toEqual([]);
  });

  it('200 000 mixed lines: only the iterations are found', () => {
    const marker = new LineMarker();
    let found = 0;
    for (let i = 0; i < 200_000; i++) {
      const line = i % 100 === 0 ? `step ${i} loss 0.5` : `${i} ${ORDINARY[i % ORDINARY.length]}`;
      found += marker.feed(line).length;
    }
    expect(found).toBe(2000);
  });

  it('binary garbage and endless lines are harmless', () => {
    const next = random(7);
    const marker = new LineMarker();
    const letter = () => String.fromCharCode(Math.floor(next() * 0x3000));
    for (let i = 0; i < 500; i++) {
      marker.feed(`iter ${Array.from({ length: 300 }, letter).join('')} %| step`);
    }
    expect(marker.feed(`step 5/10${' '.repeat(1e6)}`)).toHaveLength(1);
    for (const part of [
      '[ ',
      'epoch ',
      'step [',
      'a.',
      '- ',
      'loss ',
      "{'epoch': ",
      'iter:',
      '%|',
    ]) {
      // Our own processor time: what else the machine does is not counted.
      const start = process.cpuUsage();
      marker.feed(`${part.repeat(3000)} MemoryError out of memory Killed`);
      expect(process.cpuUsage(start).user).toBeLessThan(1e6);
    }
  });
});

describe("the user's pattern", () => {
  const marks = (pattern: string, line: string) =>
    new LineMarker({ patterns: [parseMarkPattern(pattern)] }).feed(line);

  it('takes what its groups name, and time', () => {
    const pattern = '(?<time>\\S+) <(?<iteration>\\d+)/(?<epoch>\\d+)> L(?<loss>[\\d.]+)';
    expect(marks(pattern, '11:53:29 <1,200/3> L0.5')).toEqual([]);
    expect(marks(pattern, '11:53:29 <1200/3> L0.5')[0]).toMatchObject({
      kind: 'iteration',
      iteration: 1200,
      epoch: 3,
      value: 0.5,
      stamp: { clock: 42809 },
    });
    expect(marks('^== (?<name>.+) ==', '== warm-up ==')).toEqual([
      { kind: 'note', name: 'warm-up' },
    ]);
  });

  it('stands in for our own where it tells iterations', () => {
    expect(marks('round (?<iteration>\\d+)', 'step 85/1000')).toEqual([]);
    expect(marks('== (?<name>.+) ==', 'step 85/1000')).toHaveLength(1);
    expect(marks('round (?<iteration>\\d+)', 'MemoryError')).toHaveLength(1);
  });

  it.each<[string, RegExp]>([
    ['(', /is not a regular expression/],
    ['', /is empty/],
    ['step (\\d+)', /names nothing to mark/],
    ['(?<time>\\d+)', /names nothing to mark/],
    ['(?<stepp>\\d+)', /a group 'stepp' that means nothing/],
    ['(?<name>(\\w+)*)x', /repeats a repetition/],
  ])('%s is refused', (pattern, message) => {
    expect(() => parseMarkPattern(pattern)).toThrow(message);
  });
});
