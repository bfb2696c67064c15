import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { KiB, MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { cacheHolders } from '../../src/model/cache-holders.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { reportText } from '../../src/views/report/text.ts';
import { addRow } from '../support/rows.ts';

const SECONDS = 400;
const EACH = 512 * KiB;

/** A server of one process: two requests a second, each looked at every ten seconds, with so many sessions held after so many seconds. */
function served(sessions: (second: number) => number, { device = 'cpu' } = {}) {
  const builder = new RecordingBuilder({
    id: 'told',
    name: 'told',
    argv: ['python', 'serve.py'],
    subject: 'command',
    endedAt: '2026-01-01T01:00:00.000Z',
  });
  for (let second = 0; second < SECONDS; second++) {
    const now = { time: second * SECOND_NS, pid: 1 };
    const anon = 300 * MiB + sessions(second) * EACH;
    addRow(builder, 'process', { ...now, rss: anon, anon, file: 0, shmem: 0, swap: 0, pss: anon });
    for (const half of [0, 1]) {
      const time = now.time + (half * SECOND_NS) / 2;
      const mark = { time_from: TIME_FROM.line, kind: 'request', name: 'finished' };
      addRow(builder, 'marks', { ...mark, time, pid: 1, iteration: second * 2 + half + 1 });
    }
    if (second % 10 !== 5) continue;
    const count = sessions(second);
    addRow(builder, 'objects', {
      ...{ ...now, kind: 'cache', type: 'dict', of: device, holder: '_kept of Sessions' },
      ...{ count, grown: count - sessions(5), watched: second - 5, bytes: count * EACH },
    });
  }
  const seen = { start_time: 1, first_seen: 0, last_seen: SECONDS * SECOND_NS };
  addRow(builder, 'processes', {
    pid: 1,
    argv: 'python serve.py',
    name: 'python',
    role: 'main',
    ...seen,
  });
  return report(builder.build());
}

describe('a cache', () => {
  it('is told by what each request adds to it, and is the leak that it makes', () => {
    const found = served((second) => 20 + second * 2);
    expect(found.caches).toMatchObject([
      {
        ...{ holder: '_kept of Sessions', container: 'dict', device: 'cpu', course: 'grows' },
        ...{ entries: 20 + 395 * 2, bytes: (20 + 395 * 2) * EACH, seconds: 395, looks: 40 },
        each: { unit: 'request', count: 780, bytes: EACH },
      },
    ]);
    expect(found.leak).toMatchObject({
      verdict: 'leak',
      kind: 'cache',
      culprit: { name: '_kept of Sessions' },
    });
    const text = reportText(found);
    expect(text).toContain('+512 KiB a request');
    expect(text).toMatch(
      /kind +a cache: .*dict of tensors, 810 entries, held by _kept of Sessions/,
    );
    expect(found.verdict.fixes[0]!.what).toMatch(/^bound the cache/);
  });

  it('that is bounded has stopped, and is no leak', () => {
    const found = served((second) => Math.min(120, 20 + second * 2));
    expect(found.caches).toMatchObject([{ course: 'bounded', each: null }]);
    expect(found.leak.verdict).not.toBe('leak');
    expect(reportText(found)).toContain('has stopped growing');
  });

  it('on a card is no cause of growth on the host', () => {
    const found = served((second) => 20 + second * 2, { device: 'cuda:0' });
    expect(found.caches).toMatchObject([{ course: 'grows', device: 'cuda:0' }]);
    expect(found.leak.verdict).toBe('leak');
    expect(found.leak.kind).not.toBe('cache');
  });

  it('that is empty at the last look, or was looked at twice, is no cache that grows', () => {
    const builder = new RecordingBuilder({
      id: 'told',
      name: 'told',
      argv: ['serve'],
      subject: 'command',
    });
    const row = { pid: 1, kind: 'cache', type: 'list', of: 'cpu', grown: 1, watched: 1 };
    const look = (second: number, holder: string, bytes: number, of = 'cpu') =>
      addRow(builder, 'objects', { ...row, of, time: second * SECOND_NS, holder, count: 1, bytes });
    // How many the container has is part of its name.
    for (const second of [1, 2, 3, 4]) {
      look(second, 'cleared of Server', second * MiB);
      if (second < 3) look(second, 'seen of Server', second * MiB);
      look(second, `list of ${second} in kept of Server`, second * MiB);
    }
    look(5, 'cleared of Server', 0, '');
    const courses = cacheHolders(builder.build()).map(({ holder, course }) => [holder, course]);
    expect(courses).toEqual([
      ['list of 1 in kept of Server', 'grows'],
      ['seen of Server', 'unclear'],
      ['cleared of Server', 'let-go'],
    ]);
  });
});
