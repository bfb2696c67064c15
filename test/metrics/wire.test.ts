import { randomBytes } from 'node:crypto';
import { uncompress } from 'snappyjs';
import { describe, expect, it } from 'vitest';
import { type Sample, samplesOf } from '../../src/metrics/samples.ts';
import type { Window } from '../../src/metrics/window/window-taker.ts';
import { otlp } from '../../src/metrics/wire/otlp.ts';
import { remoteWrite1, remoteWrite2 } from '../../src/metrics/wire/remote-write.ts';
import { snappy } from '../../src/metrics/wire/snappy.ts';
import { textExposition } from '../../src/metrics/wire/text.ts';
import { decodeOtlp, decodeRemoteWrite1, decodeRemoteWrite2 } from './support/decoded.ts';

const FACTS = {
  labels: { job: 'näme "q"\\', host: 'h1', run: 'abc', rank: '3' },
  info: { name: 'train' },
  startedAtMs: 1_795_000_000_123,
  uuids: { '0': 'GPU-1' },
  foreignProcesses: false,
  groupLimit: null,
  requested: null,
};
const window = (endNs: number, rss: number): Window => ({
  endNs,
  points: [
    { metric: 'treeRss', labels: {}, last: rss, peak: rss * 2 + 1 },
    { metric: 'gpuUsed', labels: { card: '0' }, last: 2 ** 40 + 1, peak: 2 ** 53 - 1 },
    { metric: 'iterations', labels: {}, last: 7, peak: null },
  ],
});
const SAMPLES: Sample[] = [
  ...samplesOf(window(15e9, 1000), FACTS, { samples: 12 }),
  ...samplesOf(window(30e9, 3000), FACTS, { samples: 24 }),
];
const time = (ns: number) => FACTS.startedAtMs + ns / 1e6;
const rss = { host: 'h1', job: 'näme "q"\\', rank: '3', run: 'abc' };

describe('remote-write', () => {
  it('1.0 has all samples, series by series in the order of time, labels sorted', () => {
    const { body, headers } = remoteWrite1(SAMPLES);
    expect(headers['x-prometheus-remote-write-version']).toBe('0.1.0');
    const found = decodeRemoteWrite1(body);
    expect(found).toHaveLength(SAMPLES.length);
    expect(found.filter(({ name }) => name === 'highwater_tree_rss_window_peak_bytes')).toEqual([
      {
        name: 'highwater_tree_rss_window_peak_bytes',
        labels: rss,
        value: 2001,
        timeMs: time(15e9),
      },
      {
        name: 'highwater_tree_rss_window_peak_bytes',
        labels: rss,
        value: 6001,
        timeMs: time(30e9),
      },
    ]);
    const card = found.find(({ name }) => name === 'highwater_gpu_used_window_peak_bytes')!;
    expect(card.value).toBe(2 ** 53 - 1);
    expect(card.labels).toMatchObject({ card: '0', uuid: 'GPU-1' });
    for (const { labels } of found) expect(Object.keys(labels)).toEqual(Object.keys(labels).sort());
  });

  it('2.0 has the same, and what each metric is', () => {
    const found = decodeRemoteWrite2(remoteWrite2(SAMPLES).body);
    const plain = found.map(({ help: _help, type: _type, ...one }) => one);
    expect(plain).toEqual(decodeRemoteWrite1(remoteWrite1(SAMPLES).body));
    const [counter] = found.filter(({ name }) => name === 'highwater_iterations_total');
    expect(counter).toMatchObject({ type: 1, value: 7 });
    expect(counter!.help).toMatch(/iterations/);
  });
});

describe('OTLP', () => {
  it("has OpenTelemetry's names, units and attributes, and counters as sums", () => {
    const { resource, points } = decodeOtlp(otlp(SAMPLES, '1.2').body);
    expect(resource).toEqual({
      'service.name': 'näme "q"\\',
      'service.instance.id': 'abc',
      'host.name': 'h1',
    });
    expect(points).toHaveLength(SAMPLES.length);
    const named = (name: string) => points.filter((point) => point.name === name);
    expect(named('hw.gpu.memory.usage')[0]).toMatchObject({
      unit: 'By',
      kind: 'gauge',
      value: 2 ** 40 + 1,
      labels: { 'hw.id': 'GPU-1', 'hw.type': 'gpu', card: '0' },
    });
    expect(named('highwater.tree.rss.window_peak').map(({ value }) => value)).toEqual([2001, 6001]);
    expect(named('highwater.iterations')[0]).toMatchObject({ kind: 'sum', unit: '', value: 7 });
  });
});

describe('text', () => {
  it('escapes labels, and says each type once', () => {
    const text = textExposition(samplesOf(window(15e9, 1000), FACTS));
    expect(text).toContain(
      'highwater_tree_rss_bytes{job="näme \\"q\\"\\\\",host="h1",run="abc",rank="3"} 1000\n',
    );
    expect(text.match(/^# TYPE highwater_tree_rss_bytes gauge$/gm)).toHaveLength(1);
    expect(text.endsWith('\n')).toBe(true);
  });
});

describe('snappy', () => {
  const inputs: [string, Uint8Array][] = [
    ['nothing', new Uint8Array(0)],
    ['a byte', Uint8Array.of(7)],
    ['noise of 70 kB', randomBytes(70_000)],
    ['one byte 300,000 times', new Uint8Array(300_000).fill(9)],
    ['texts that repeat', Buffer.from('highwater_tree_rss_bytes{job="a"} '.repeat(5000))],
    [
      'what repeats from further off than a copy reaches',
      Buffer.concat([
        randomBytes(100),
        new Uint8Array(66_000),
        randomBytes(59),
        Buffer.from('0123456789'.repeat(30)),
      ]),
    ],
  ];
  it.each(inputs)('gives back %s', (_name, input) => {
    expect(Buffer.from(uncompress(snappy(input))).equals(Buffer.from(input))).toBe(true);
  });

  it('gives back any mixture, of whatever length', () => {
    for (let round = 0; round < 300; round++) {
      const parts = Array.from({ length: 1 + (round % 7) }, (_, part) => {
        const piece = randomBytes(1 + ((round * 31 + part * 17) % 200));
        return part % 2
          ? Buffer.concat([piece, piece])
          : piece.fill(round % 5, 0, piece.length >> 1);
      });
      const input = Buffer.concat(parts);
      expect(Buffer.from(uncompress(snappy(input))).equals(input)).toBe(true);
    }
  });

  it('saves most of what windows repeat', () => {
    const many = Array.from({ length: 20 }, (_, at) =>
      samplesOf(window(at * 15e9, at), FACTS),
    ).flat();
    const plain = uncompress(remoteWrite1(many).body).length;
    expect(remoteWrite1(many).body.length).toBeLessThan(plain * 0.6);
  });
});
