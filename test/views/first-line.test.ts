import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { lastMarks } from '../../src/model/last-marks.ts';
import { openInput } from '../../src/open/open.ts';
import { marksWords } from '../../src/views/chart/peak-words.ts';
import { answer } from '../../src/views/report/answer.ts';
import { reportDoors } from '../../src/views/report/doors.ts';
import { sourceWords } from '../../src/views/report/peaks.ts';
import { reportText } from '../../src/views/report/text.ts';

const FIXTURES = ['docs', 'snapshots', 'snapshots/training'].flatMap((folder) =>
  readdirSync(join('test/fixtures', folder))
    .filter((name) => /\.(hwz|pickle\.gz)$/.test(name))
    .map((name) => join('test/fixtures', folder, name)),
);

const opened = async (path: string) => report(await openInput(path));

describe('the first line', () => {
  it('is a plain sentence: what a figure rests on stands elsewhere', async () => {
    for (const path of FIXTURES) expect(answer(await opened(path)), path).not.toMatch(/ \(/);
  });

  it('of a leak tells what is kept, by whom, and what to do', async () => {
    expect(answer(await opened('test/fixtures/docs/leak.hwz'))).toMatch(
      /, but it leaks \+162 KiB\/iteration: 120 tensors \[\] float32 held by list of 120 in losses of __main__; keep numbers, not tensors, from step to step\.$/,
    );
  });

  it('has its source told among the peaks', async () => {
    const result = await opened('test/fixtures/docs/leak.hwz');
    expect(sourceWords(result.headline!)).toBe('proportional, estimated, 1 process');
    expect(reportText(result)).toContain(
      'The first line has tree.pss: proportional, estimated, 1 process',
    );
  });
});

describe('doors of the page', () => {
  it('lead to every passage of the report, in its words and once', async () => {
    for (const path of FIXTURES) {
      const result = await opened(path);
      const titles = reportText(result)
        .split('\n\n')
        .slice(1)
        .map((block) => block.split('\n')[0]!);
      const behind = reportDoors(result).flatMap(({ passages }) =>
        passages.map(({ title }) => title),
      );
      for (const title of titles) {
        expect(behind.filter((one) => one === title).length, `${path}: ${title}`).toBe(1);
      }
    }
  });

  it('stand in the order in which the report first comes to their question', async () => {
    const ids = reportDoors(await opened('test/fixtures/docs/leak.hwz')).map(({ id }) => id);
    expect(ids).toEqual(['host-peak', 'leak', 'peaks', 'processes', 'ending', 'measured']);
  });
});

describe('the moment of a peak', () => {
  const mark = (kind: string, seconds: number, number: number) => ({
    kind,
    name: '',
    seconds,
    epoch: kind === 'epoch' ? number : null,
    iteration: kind === 'iteration' ? number : null,
  });

  it('is named by the last marks before it, whatever order they came in', () => {
    const marks = [
      mark('epoch', 1, 1),
      mark('iteration', 9, 60),
      mark('epoch', 5, 3),
      mark('epoch', 3, 2),
      mark('iteration', 6, 41),
      mark('iteration', 2, 10),
    ];
    const words = (at: number) => marksWords(lastMarks(marks, at));
    expect(words(7)).toBe('after iteration 41, epoch 3');
    // The last iteration was of the epoch before.
    expect(words(4)).toBe('epoch 2');
    expect(words(0)).toBe('');
  });
});
