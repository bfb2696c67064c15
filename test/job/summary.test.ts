import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summarize } from '../../src/analyses/job/summarize.ts';
import { report } from '../../src/analyses/report.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import {
  readDetails,
  readSummary,
  SUMMARY_FILE,
  writeSummary,
} from '../../src/model/disk/summary-file.ts';
import { decodeMaxima, encodeMaxima, halved, windowsOf } from '../../src/model/job/envelope.ts';
import { MOST_SUMMARY_BYTES } from '../../src/model/job/summary.ts';
import { askedFor } from '../../src/record/workload/asked-for.ts';
import { Random } from '../support/random.ts';
import { place } from '../support/recorder.ts';
import { addRow } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const whole = () => {
  const recording = sampleRecording();
  return summarize(recording, report(recording));
};

describe('the summary of a recording', () => {
  it('is written and read back the same', () => {
    const made = whole();
    const folder = place();
    mkdirSync(folder);
    writeSummary(folder, made);
    expect(readSummary(folder)).toEqual(made.summary);
    expect(readDetails(folder)).toEqual(made.details);
  });

  it("has the report's own figures", () => {
    const recording = sampleRecording();
    const told = report(recording);
    const { summary, details } = summarize(recording, told);
    expect(summary.headline).toMatchObject({
      bytes: told.headline!.bytes,
      series: told.headline!.series,
    });
    expect(details.peaks.map(({ series, bytes }) => [series, bytes])).toEqual(
      told.peaks.map(({ series, bytes }) => [series, bytes]),
    );
    expect(summary.verdict.code).toBe(told.verdict.cause.code);
    expect(summary.ranks[0]!.rank).toBe(0);
    const [card] = details.ranks[0]!.envelopes;
    expect(card!.measure).toBe('card');
    const most = decodeMaxima(card!).reduce((a, b) => Math.max(a, b || 0), 0);
    expect(most).toBe(told.gpus[0]!.peak!.bytes);
  });

  it('keeps below its size, whatever was recorded', () => {
    const builder = new RecordingBuilder({
      id: 'x',
      name: '名'.repeat(10_000),
      argv: Array.from({ length: 3000 }, (_, i) => `"--${i}=${'ü'.repeat(50)}"`),
      subject: 'command',
      labels: { job: 'j'.repeat(100_000), worldSize: '400' },
    });
    for (let pid = 1; pid <= 400; pid++) {
      addRow(builder, 'processes', {
        pid,
        ppid: 0,
        rank: pid - 1,
        first_seen: 0,
        role: `rank ${pid}`,
      });
    }
    for (let i = 0; i < 600; i++) {
      for (let pid = 1; pid <= 400; pid++)
        addRow(builder, 'process', { time: i * 1e8, pid, rss: pid * 1e6 + i });
    }
    const recording = builder.build();
    const made = summarize(recording, report(recording));
    const folder = place();
    mkdirSync(folder);
    writeSummary(folder, made);
    const { size } = statSync(join(folder, SUMMARY_FILE));
    expect(size).toBeLessThanOrEqual(MOST_SUMMARY_BYTES);
    expect(readSummary(folder)!.ranks.length + made.summary.ranksLeftOut).toBe(400);
    // Coarser, and no maximum is lost.
    for (const [i, { memory }] of made.summary.ranks.entries()) {
      const [curve] = made.details.ranks[i]!.envelopes;
      expect(decodeMaxima(curve!).reduce((a, b) => Math.max(a, b || 0), 0)).toBe(memory!.bytes);
    }
  });
});

describe('windows', () => {
  it('lose no maximum, however they are cut', () => {
    const random = new Random(7);
    for (let round = 0; round < 50; round++) {
      const length = 1 + Math.floor(random.uniform() * 3000);
      const times = Float64Array.from(
        { length },
        (_, i) => i * 1e7 * (1 + random.uniform() / 2),
      ).sort();
      const values = times.map(() => random.logBetween(1, 1e12));
      const start = 1.7e12 + random.between(0, 1e6);
      let windows = windowsOf(times, values, (ns) => start + ns / 1e6)!;
      const most = Math.max(...values);
      expect(windows.maxima.length).toBeLessThanOrEqual(256);
      while (windows.maxima.length > 1) {
        expect(Math.max(...windows.maxima.filter((one) => one >= 0))).toBe(most);
        expect(windows.startMs % windows.windowMs).toBe(0);
        windows = halved(windows);
      }
      expect(windows.maxima[0]).toBe(most);
    }
  });

  it('are read back as they were, and nothing else is', () => {
    const maxima = Float64Array.from([0, 1.5, Number.NaN, 2 ** 53, 12345678901]);
    expect(decodeMaxima({ maxima: encodeMaxima(maxima) })).toEqual(maxima);
    expect(decodeMaxima({ maxima: 'no base64 !' })).toHaveLength(0);
    const odd = Float64Array.from([-1, Number.POSITIVE_INFINITY, 3]);
    expect([...decodeMaxima({ maxima: encodeMaxima(odd) })]).toEqual([Number.NaN, Number.NaN, 3]);
  });
});

describe('a summary that somebody else wrote', () => {
  const CASES: [string, string | ((text: string) => string), RegExp][] = [
    ['empty', '', /not JSON/],
    ['cut', (text) => text.slice(0, 300), /not JSON/],
    ['no object', '[1,2]\n', /no summary/],
    ['another thing', '{"type":"report"}\n', /no summary/],
    ['newer', (text) => text.replace('"version":1', '"version":2'), /newer than this/],
    [
      'infinite',
      (text) => text.replace(/"durationSeconds":[\d.]+/, '"durationSeconds":1e999'),
      /durationSeconds/,
    ],
    ['of a huge rank', (text) => text.replace(/"rank":0/, '"rank":1e9'), /ranks/],
    ['of a negative size', (text) => text.replace(/"bytes":\d+/, '"bytes":-5'), /ranks|headline/],
    ['large', (text) => text + ' '.repeat(MOST_SUMMARY_BYTES), /more than 200000 bytes/],
    [
      'of ranks that are no list',
      (text) => text.replace('"ranks":[', '"ranks":{"a":['),
      /not JSON|ranks/,
    ],
  ];
  for (const [what, change, said] of CASES) {
    it(`is refused where it is ${what}`, () => {
      const folder = place();
      mkdirSync(folder);
      writeSummary(folder, whole());
      const file = join(folder, SUMMARY_FILE);
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, typeof change === 'string' ? change : change(text));
      expect(() => readSummary(folder)).toThrow(said);
    });
  }

  it('is not followed where it is a link', () => {
    const [folder, other] = [place(), place()];
    mkdirSync(folder);
    writeFileSync(other, '{}');
    symlinkSync(other, join(folder, SUMMARY_FILE));
    expect(() => readSummary(folder)).toThrow(/link/);
  });
});

describe('what Slurm was asked for', () => {
  const GIB = 1024 ** 3;
  it.each([
    [{}, null],
    [{ SLURM_JOB_ID: '17' }, { job: '17', memoryBytes: null, gpus: null }],
    [
      { SLURM_JOB_ID: '17', SLURM_MEM_PER_NODE: '65536' },
      { memoryBytes: 64 * GIB, memoryFrom: 'SLURM_MEM_PER_NODE' },
    ],
    [{ SLURM_JOB_ID: '17', SLURM_MEM_PER_NODE: '0' }, { memoryBytes: null }],
    [
      { SLURM_JOB_ID: '17', SLURM_MEM_PER_CPU: '4096', SLURM_CPUS_ON_NODE: '8' },
      { memoryBytes: 32 * GIB },
    ],
    [
      { SLURM_JOB_ID: '17', SLURM_MEM_PER_GPU: '8192', SLURM_JOB_GPUS: '0,2-4' },
      { memoryBytes: 32 * GIB, gpus: 4 },
    ],
    [{ SLURM_JOB_ID: '17', SLURM_MEM_PER_NODE: 'lots' }, { memoryBytes: null }],
    [{ SLURM_JOB_ID: 'x; rm' }, null],
  ])('is read from %j', (env, expected) => {
    if (expected === null) expect(askedFor(env)).toBeNull();
    else expect(askedFor(env)).toMatchObject(expected);
  });
});
