import { describe, expect, it } from 'vitest';
import type { MetricKey } from '../../src/metrics/list.ts';
import { type Window, WindowTaker } from '../../src/metrics/window/window-taker.ts';
import { TABLES, tableSpec } from '../../src/model/schema.ts';
import { TableBuffer } from '../../src/model/table.ts';
import { inOrder, type NamedCells } from '../support/rows.ts';

const S = 1e9;
const HOST = tableSpec('host', ['MemTotal', 'MemAvailable']);
const SPECS = { ...TABLES, host: HOST };

/** Rows by table, as a recording's threads hand them over; `clock` moves time on. */
class Feed {
  readonly windows: Window[] = [];
  readonly taker = new WindowTaker(10 * S, (window) => this.windows.push(window));

  rows(table: keyof typeof SPECS, ...rows: NamedCells[]): this {
    const buffer = new TableBuffer(SPECS[table]);
    for (const cells of rows) buffer.push(inOrder(buffer.spec, cells));
    this.taker.take(buffer.spec, buffer.take());
    return this;
  }

  clock(seconds: number): this {
    return this.rows('clock', { monotonic: seconds * S, wall: 0 });
  }

  /** `[end, last, peak]` of each window that has it. */
  of(metric: MetricKey, labels: Record<string, string> = {}) {
    return this.windows.flatMap(({ endNs, points }) =>
      points
        .filter(
          (one) => one.metric === metric && JSON.stringify(one.labels) === JSON.stringify(labels),
        )
        .map(({ last, peak }) => [endNs / S, last, peak]),
    );
  }
}
const rss = (time: number, pid: number, bytes: number | null) => ({
  time: time * S,
  pid,
  rss: bytes,
});

describe('windows', () => {
  it('have the largest and the last sample, summed over processes', () => {
    const feed = new Feed()
      .rows('process', rss(1, 1, 10), rss(1, 2, 5), rss(2, 1, 30), rss(9.9, 1, 7))
      .clock(10)
      .rows('process', rss(10, 1, 40), rss(11, 1, null), rss(11, 2, 3))
      .clock(12.5);
    feed.taker.end();
    expect(feed.of('treeRss')).toEqual([
      [10, 7, 30],
      [12.5, 3, 40],
    ]);
    expect(feed.of('treeProcesses')).toEqual([
      [10, 1, 2],
      [12.5, 2, 2],
    ]);
  });

  it('end first after a second, so that a counter is known before it rises', () => {
    const kills = (time: number, count: number) => ({ time: time * S, oom_kills: count });
    const feed = new Feed().rows('cgroup', kills(0.1, 0), kills(0.9, 0), kills(3.4, 1)).clock(3.5);
    feed.taker.end();
    expect(feed.of('groupKills')).toEqual([
      [1, 0, null],
      [3.5, 1, null],
    ]);
  });

  it('wait for rows of other threads, and count one that comes too late in the next', () => {
    const feed = new Feed()
      .rows('host', { time: 5 * S, MemTotal: 100, MemAvailable: 90 })
      .clock(11)
      .rows('gpu', { time: 9.5 * S, gpu: 0, used: 8, total: 80 })
      .clock(13)
      .rows('gpu', { time: 9.9 * S, gpu: 0, used: 70, total: 80 })
      .rows('gpu', { time: 14 * S, gpu: 0, used: 9, total: 80 })
      .clock(23);
    expect(feed.of('gpuUsed', { card: '0' })).toEqual([
      [10, 8, 8],
      [20, 9, 70],
    ]);
    expect(feed.of('hostUsed')).toEqual([[10, 10, 10]]);
  });

  it('know whose a card is, and leave out what no list told', () => {
    const feed = new Feed()
      .rows(
        'gpu_process',
        { time: S, gpu: 0, pid: 7, used: 50 },
        { time: S, gpu: 0, pid: 8, used: 9 },
      )
      .rows('gpu_process', { time: 2 * S, gpu: 0, pid: 0, used: null })
      // The process is known only after its first row on the card.
      .rows('processes', { pid: 7, start_time: 1, ppid: 1 })
      .clock(5);
    feed.taker.end();
    expect(feed.of('gpuTree', { card: '0' })).toEqual([[5, 50, 50]]);
  });

  it('sum ranks with their workers, and leave the launcher out', () => {
    const feed = new Feed()
      .rows(
        'processes',
        { pid: 1, start_time: 1, ppid: 0 },
        { pid: 2, start_time: 1, ppid: 1, rank: 0 },
        { pid: 3, start_time: 1, ppid: 1, rank: 1 },
        { pid: 4, start_time: 1, ppid: 3 },
      )
      .rows('process', rss(1, 1, 1), rss(1, 2, 20), rss(1, 3, 30), rss(1, 4, 4))
      .clock(4);
    feed.taker.end();
    expect(feed.of('rankRss', { rank: '0' })).toEqual([[4, 20, 20]]);
    expect(feed.of('rankRss', { rank: '1' })).toEqual([[4, 34, 34]]);
    expect(feed.of('treeRss')).toEqual([[4, 55, 55]]);
  });

  it("keep an allocator's last figure until its process ends", () => {
    const counter = (time: number, name: number, value: number) => ({
      time: time * S,
      pid: 2,
      rank: 0,
      name,
      value,
    });
    const feed = new Feed()
      .rows('processes', { pid: 2, start_time: 1, ppid: 1 })
      .rows(
        'counters',
        counter(1, 0, 100),
        counter(2, 0, 300),
        counter(3, 0, 200),
        counter(3, 1, 9),
      )
      .rows('strings', { id: 0, value: 'torch0.allocated' }, { id: 1, value: 'malloc.in_use' })
      .clock(13)
      .clock(23)
      .rows('processes', { pid: 2, start_time: 1, ppid: 1, last_seen: 24 * S })
      .rows('counters', { ...counter(25, 1, 1), pid: 9 })
      .clock(33);
    expect(feed.of('torchAllocated', { device: '0', rank: '0' })).toEqual([
      [10, 200, 300],
      [20, 200, 200],
    ]);
  });

  it('count iterations, of which lines tell each hundredth only', () => {
    const mark = (time: number, iteration: number) => ({
      time: time * S,
      kind: 0,
      name: 1,
      iteration,
    });
    const feed = new Feed()
      .rows('strings', { id: 0, value: 'iteration' })
      .rows('marks', mark(1, 100), mark(2, 200))
      .clock(13)
      .rows('marks', mark(15, 300))
      .clock(33);
    expect(feed.of('iterations').map(([, last]) => last)).toEqual([100, 200, 200]);
  });
});
