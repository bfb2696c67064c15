import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inOneProcess } from '../../support/one-process.ts';
import { pickle } from '../../support/pickler.ts';
import { place } from '../../support/recorder.ts';
import { SNAPSHOTS, truthIn } from './programs.ts';

const FOLDER = join(SNAPSHOTS, 'what-if');
const LSTM = join(FOLDER, 'lstm_varlen.pickle.gz');
const OOM = join(SNAPSHOTS, 'training/gpt_oom.pickle.gz');

async function answer(...argv: string[]) {
  const { stdout, stderr } = await inOneProcess(['what-if', ...argv, '--json']);
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

const refused = async (...argv: string[]) => {
  const { code, stderr } = await inOneProcess(['what-if', ...argv]);
  expect(code).toBe(2);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  return stderr;
};

describe('highwater what-if', () => {
  it('answers what torch did, a row for each pair in the order given', async () => {
    const truth = truthIn(FOLDER).filter(({ program }) => program === 'lstm_varlen');
    const limits = truth.flatMap(({ limit_bytes: bytes }) => bytes ?? []);
    const [low, high] = [Math.min(...limits), Math.max(...limits)];
    const sets = ['expandable_segments:True', 'default'];
    const { rows, recorded, device } = await answer(
      LSTM,
      ...sets.flatMap((set) => ['--set', set]),
      ...['--limit', String(high), '--limit', String(low)],
    );
    expect(device).toBe(0);
    expect(recorded).toMatchObject({ conf: 'default', exact: true });
    expect(recorded.simulatedReservedPeakBytes).toBe(recorded.reservedPeakBytes);
    expect(rows.map(({ conf, limitBytes }: never) => [conf, limitBytes])).toEqual(
      sets.flatMap((set) => [high, low].map((limit) => [set, limit])),
    );
    for (const row of rows) {
      const real = truth.find(
        ({ setting, limit_bytes: bytes }) => setting === row.conf && bytes === row.limitBytes,
      );
      if (!real) continue;
      expect(row.reservedPeakBytes).toBe(real.reserved_peak);
      expect(row.outcome).toBe(real.oom ? 'dies' : 'runs');
      expect(row.retries).toBe(real.retries);
      expect(row.diesAt === null).toBe(!real.oom);
    }
  });

  it('orders the usual settings, the best first, and names what is worse', async () => {
    const { rows, verdict, floorBytes } = await answer(LSTM);
    expect(rows[0].conf).toBe('expandable_segments:True');
    expect(verdict.cause.code).toBe('setting-saves');
    const peaks = rows.map((row: { reservedPeakBytes: number }) => row.reservedPeakBytes);
    expect(peaks).toEqual([...peaks].sort((a, b) => a - b));
    for (const peak of peaks) expect(peak).toBeGreaterThanOrEqual(floorBytes);
    const { stdout } = await inOneProcess(['what-if', LSTM]);
    expect(stdout).toMatch(/max_split_size_mb:64 .* worse$/m);
    expect(stdout).toContain('export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True');
  });

  it('finds the smallest card: it runs there, and not with a little less', async () => {
    const { rows } = await answer(LSTM, '--smallest', '--set', 'default');
    const { bytes, retries } = rows[0].smallest;
    // It is looked for to one part in 512.
    const close = Math.ceil(bytes / 512);
    const context = 512 * 2 ** 20;
    const tried = (size: number) =>
      answer(LSTM, '--set', 'default', '--card', `${size + context}`, '--context', `${context}`);
    const [enough, less] = [await tried(bytes), await tried(bytes - close)];
    expect(enough.rows[0]).toMatchObject({ outcome: 'runs', retries });
    expect(less.rows[0].outcome).toBe('dies');
    expect(less.rows[0].diesAt.requestedBytes).toBeGreaterThan(0);
  });

  it('says on which card it runs, what is taken off, and where it dies', async () => {
    const named = await answer(LSTM, '--card', 'A10G');
    expect(named.card).toMatchObject({ name: 'A10G', contextFrom: 'assumed' });
    expect(named.card.usableBytes).toBe(named.card.totalBytes - named.card.contextBytes);
    expect(named.verdict.cause.code).toBe('fits');
    const small = await answer(OOM, '--card', '2.5GiB');
    expect(small.verdict.cause.code).toBe('does-not-fit');
    const own = small.rows.find((row: { isRecorded: boolean }) => row.isRecorded);
    expect(own.diesAt).toMatchObject({ moment: { step: expect.any(Number) } });
    expect(own.diesAt.where).toMatch(/make_truth\.py:\d+/);
  });

  it('of a program that ran out of memory: whether a setting gets past the request that failed', async () => {
    const sets = ['--set', 'default', '--set', 'expandable_segments:True'];
    const { recorded, rows, verdict, notes } = await answer(OOM, ...sets);
    expect(recorded).toMatchObject({ exact: true, outcome: 'dies' });
    expect(recorded.limitBytes).toBe(recorded.reservedPeakBytes);
    expect(rows[0].outcome).toBe('dies');
    // The limit is known only between two: the lower proves nothing, the higher is told.
    expect(rows[1].outcome).toBe('dies');
    expect(rows[1].outcomeAtMost).toBe('runs');
    expect(verdict.cause.code).toBe('cannot-tell');
    expect(notes.join('\n')).toMatch(
      /the limit of the process lay between 2\.77 GiB and 2\.83 GiB/,
    );
    // Nothing is saved by one that ran further, or less far.
    expect(rows.map(({ savingBytes }: never) => savingBytes)).toEqual([null, null]);
  });

  it('names one figure where two bounds of a limit read the same', async () => {
    const { notes } = await answer(join(SNAPSHOTS, 'training/oom_leak.pickle.gz'));
    expect(notes.join('\n')).toContain('what could be reserved was 590 MiB');
  });

  it('says which settings it assumes where the trace tells none', async () => {
    const path = place('untold.pickle');
    const event = { addr: 2 ** 46, size: 2 ** 21, stream: 0, time_us: 5, frames: [] };
    const told = async (action: string) => {
      const trace = [action, 'alloc', 'free_completed'].map((one) => ({ action: one, ...event }));
      writeFileSync(path, pickle({ segments: [], device_traces: [trace] }));
      return (await answer(path)).notes.join('\n');
    };
    expect(await told('segment_alloc')).toContain("settings: torch's own are assumed");
    expect(await told('segment_map')).toContain('settings: expandable_segments:True shows in');
  });

  it('claims no saving for what was reserved before the trace began', async () => {
    const overflowed = join(SNAPSHOTS, 'training/gpt_overflowed.pickle.gz');
    const { rows, recorded, notes } = await answer(overflowed);
    expect(recorded.exact).toBe(true);
    for (const { savingBytes } of rows) expect(savingBytes).toBeLessThanOrEqual(0);
    expect(notes.join()).toContain('before the trace began');
  });

  it('takes the snapshot that lies beside a recording', async () => {
    const folder = place('traced.hw');
    cpSync('test/fixtures/recordings/v4.hw', folder, { recursive: true });
    writeFileSync(join(folder, 'oom-7-0.pickle'), gunzipSync(readFileSync(OOM)));
    const path = join(folder, 'run.json');
    const run = JSON.parse(readFileSync(path, 'utf8'));
    const figures = { ns: 0, pid: 7, rank: null, device: 0, asked: 1, free: 1, total: 1 };
    const snapshots = [{ file: 'oom-7-0.pickle', why: 'oom', ...figures }];
    writeFileSync(path, JSON.stringify({ ...run, allocator: null, snapshots }));
    const { recorded, card } = await answer(folder, '--card', 'L4');
    expect(recorded).toMatchObject({ exact: true, outcome: 'dies' });
    expect(card).toMatchObject({ name: 'L4' });
  });

  it('refuses in one line what it cannot answer', async () => {
    expect(await refused(LSTM, '--set', 'speed:11')).toContain('no setting');
    expect(await refused(LSTM, '--limit', 'much')).toContain('not a size');
    expect(await refused(LSTM, '--limit', '20')).toContain('20GiB');
    expect(await refused(LSTM, '--card', '24GiB', '--context', '512')).toContain('512MiB');
    expect(await refused(LSTM, '--card', 'Z9000')).toContain('no card is known');
    expect(await refused(LSTM, '--card', 'A100')).toContain('A100-40, A100-80');
    expect(await refused(LSTM, '--card', '24GiB', '--limit', '1GiB')).toContain('not both');
    expect(await refused(LSTM, '--context', '1GiB')).toContain('--card');
    expect(await refused(LSTM, '--device', '3')).toContain('no trace of device 3');
    expect(await refused(resolve('test/fixtures/formats/mprof/0.61.0/plain.dat'))).toContain(
      'no trace of torch',
    );
    const cut = place('cut.pickle');
    writeFileSync(cut, gunzipSync(readFileSync(LSTM)).subarray(0, 40_000));
    await refused(cut);
  });
});
