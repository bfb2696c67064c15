import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tags } from '../../src/analyses/tags/index.ts';
import { MiB } from '../../src/base/bytes.ts';
import { FormatError } from '../../src/base/errors.ts';
import { makeInput } from '../../src/formats/input.ts';
import { mxnetCsv } from '../../src/formats/mxnet/csv.ts';
import { memoryEvents } from '../../src/formats/mxnet/lines.ts';
import { mxnetLog } from '../../src/formats/mxnet/log.ts';
import { summary } from '../../src/model/allocations/curve.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import type { Recording } from '../../src/model/recording.ts';

const SOCKEYE = readFileSync('test/fixtures/formats/mxnet-log/0.12/sockeye.log', 'utf8');
const LENET = readFileSync(
  'test/fixtures/formats/mxnet-log/tfjs-4.22/lenet-interrupted.log',
  'utf8',
);

const readLog = (text: string, name = 'x.log') =>
  mxnetLog.read!(makeInput(name, () => [Buffer.from(text)])) as Recording;
const readCsv = (text: string) =>
  mxnetCsv.read!(makeInput('x.csv', () => [Buffer.from(text)])) as Recording;

describe('lines', () => {
  const gpu = (bytes: number, tag: string) => ({ kind: 'allocate', bytes, tag, onHost: false });

  it.each<[string, unknown[]]>([
    [
      '[mem] Allocate 36 bytes GPU memory (forward_features:_zeros1).',
      [gpu(36, 'forward_features:_zeros1')],
    ],
    ['[mem] Allocate 0 bytes GPU memory ().', [gpu(0, '')]],
    [
      '[mem] Allocate 5 bytes GPU memory (a tag with spaces (and brackets).).',
      [gpu(5, 'a tag with spaces (and brackets).')],
    ],
    [
      '[mem] Allocate 5 bytes GPU memory (one bracket ( too many).',
      [gpu(5, 'one bracket ( too many')],
    ],
    ['Allocate 3 MB GPU memory (mask_workspace).', [gpu(3 * MiB, 'mask_workspace')]],
    ['Epoch[0] loss=1 [mem] Allocate 7 bytes GPU memory (a).tail of another', [gpu(7, 'a')]],
    [
      '[mem] Allocate 1 bytes GPU memory (a).[mem] Allocate 2 bytes GPU memory (b).',
      [gpu(1, 'a'), gpu(2, 'b')],
    ],
    ['[mem] Allocate 8 bytes CPU memory (data).', [{ ...gpu(8, 'data'), onHost: true }]],
    [
      '[mem] Release 8 bytes CPU memory (data).',
      [{ ...gpu(8, 'data'), kind: 'release', onHost: true }],
    ],
    [
      '[mem] 11172 MB GPU global memory free, total 12189 MB.',
      [{ kind: 'device', freeBytes: 11172 * MiB, totalBytes: 12189 * MiB }],
    ],
    ['[mem] Release GPU memory.', [{ kind: 'unsized-release' }]],
    ['[mem] finished binding.', [{ kind: 'bound' }]],
    ['[mem] Allocate 40', [{ kind: 'torn' }]],
    ['[mem] Allocate 40 bytes GPU memory (in_ar', [{ kind: 'torn' }]],
    ['[mem] Allocate 999999999999999 MB GPU memory (a).', [{ kind: 'torn' }]],
    ['[trace] Allocate nothing', []],
    ['I could not Allocate 3 bytes of memory (sorry).', []],
    ['', []],
  ])('%s', (line, events) => {
    expect(memoryEvents(line)).toEqual(events);
  });
});

describe('an MXNet log', () => {
  it('gives every whole allocation, the device’s figures, and says what it left out', () => {
    const recording = readLog(SOCKEYE);
    const { totals, device, peak } = tags(recording);
    expect(totals.count).toBe(18);
    expect(totals.bytes).toBe(24_749_692);
    // Releases tell no size, so a peak cannot be told.
    expect(peak).toBeNull();
    expect(device).toEqual({ peakUsedBytes: 1023 * MiB, totalBytes: 12189 * MiB });
    expect(recording.run.warnings.join('\n')).toMatch(
      /1 release without a size: its figures are totals .* not a peak\n.*2 allocation lines cut off .*line 28/,
    );
  });

  it('replays to its total from nothing', () => {
    const [trace] = traces(readLog(SOCKEYE));
    const { startRequested, endRequested, peakRequested } = summary(trace!);
    expect([startRequested, endRequested, peakRequested]).toEqual([0, 24_749_692, 24_749_692]);
  });

  it('cut at any byte never has a size or tag that the whole has not', () => {
    const whole = new Set(
      SOCKEYE.split('\n')
        .flatMap(memoryEvents)
        .map((event) => JSON.stringify(event)),
    );
    let most = 0;
    for (let length = 0; length < SOCKEYE.length; length++) {
      const lines = SOCKEYE.slice(0, length).split('\n');
      const allocated = lines.flatMap(memoryEvents).filter(({ kind }) => kind === 'allocate');
      for (const event of allocated) expect(whole.has(JSON.stringify(event))).toBe(true);
      expect(allocated.length).toBeGreaterThanOrEqual(most);
      most = allocated.length;
    }
    expect(most).toBe(18);
  });

  it('is read with CR LF and without a last line end', () => {
    const text = '[mem] Allocate 1 bytes GPU memory (a).\r\n[mem] Allocate 2 bytes GPU memory (b).';
    expect(tags(readLog(text)).totals).toMatchObject({ count: 2, bytes: 3 });
  });

  it('without one allocation is refused, with the line that it lacks', () => {
    for (const text of ['Epoch 1\n', '[mem] Allocate 4 by']) {
      expect(() => readLog(text, 'train.log')).toThrow(FormatError);
      expect(() => readLog(text, 'train.log')).toThrow(/^train\.log has no line that tells/);
    }
  });
});

describe('a log of our own', () => {
  it('tells the peak, as its releases tell sizes: an interrupted LeNet', () => {
    const { totals, peak, categories, unmatched } = tags(readLog(LENET));
    expect(unmatched).toEqual([]);
    const bytes = (key: string) => categories.find(({ category }) => category === key);
    // 431,080 parameters of four bytes: made once and anew in each of two steps; two gradients.
    expect(bytes('in_arg')!.bytes).toBe(3 * 431_080 * 4);
    expect(bytes('arg_grad')!.bytes).toBe(2 * 431_080 * 4);
    expect(bytes('arg_grad')!.bytesAtPeak).toBe(431_080 * 4);
    const atPeak = categories.reduce((sum, one) => sum + one.bytesAtPeak!, 0);
    expect(atPeak).toBe(peak!.bytes);
    expect(peak!.bytes).toBeLessThan(totals.bytes);
  });

  it('agrees with the replay of the allocation model', () => {
    const recording = readLog(LENET);
    const [trace] = traces(recording);
    expect(summary(trace!).peakRequested).toBe(tags(recording).peak!.bytes);
    expect(summary(trace!).startRequested).toBe(0);
  });

  it('of torch on a GPU knows weights, gradients and layers', () => {
    const recording = readLog(
      readFileSync('test/fixtures/formats/mxnet-log/torch-2.11/cnn.log', 'utf8'),
    );
    const { unmatched, categories, peak } = tags(recording);
    const bytes = (key: string) => categories.find(({ category }) => category === key)?.bytes;
    const weights = 4 * (20 * 25 + 20 + 20 + 20 + 20 * 12 * 12 * 10 + 10);
    expect(unmatched).toEqual([]);
    expect([bytes('in_arg'), bytes('arg_grad')]).toEqual([weights, 2 * weights]);
    // Sixteen images of 24 by 24 in twenty channels, in each of two steps.
    expect(bytes('conv')).toBe(2 * 16 * 24 * 24 * 20 * 4);
    expect(peak!.bytes).toBeGreaterThan(3 * 16 * 24 * 24 * 20 * 4);
    expect(traces(recording).length).toBe(2);
  });

  it('leaves out a release of what was never allocated, and says so', () => {
    const recording = readLog(
      '[mem] Release 9 bytes CPU memory (a).\n[mem] Allocate 1 bytes CPU memory (a).\n',
    );
    expect(tags(recording).peak).toBeNull();
    expect(recording.run.warnings[0]).toMatch(/1 release of what was never allocated/);
  });
});

describe('the storage profile of MXNet 1.x', () => {
  const HEADER = '"Attribute Name","Requested Size","Device","Actual Size","Reuse?"\n';

  it('counts actual sizes by device, and what the driver adds apart', () => {
    const recording = readCsv(
      readFileSync('test/fixtures/formats/mxnet-csv/1.x/gpu_memory_profile-pid_4242.csv', 'utf8'),
    );
    const { categories, totals } = tags(recording);
    const bytes = Object.fromEntries(categories.map((one) => [one.category, one.bytes]));
    expect(bytes).toEqual({
      in_arg: 2 * 8_388_608,
      dot: 8_388_608,
      workspace: 4096,
      'warning!,ctx_source_unclear': 512,
      nvml_amend: 1024 * MiB,
    });
    expect(totals.unknownBytes).toBe(1024 * MiB + 512);
    expect(traces(recording).map(({ device }) => device)).toEqual([0, 1]);
  });

  it('reads the earlier form with its scopes', () => {
    const recording = readCsv(
      readFileSync('test/fixtures/formats/mxnet-csv/1.x/earlier-form.csv', 'utf8'),
    );
    expect(tags(recording).categories.flatMap((one) => one.tags)).toEqual([
      'tensordot:in_arg:A',
      'init:B',
    ]);
  });

  it.each([
    ['a:b,1,0,x,0\n', /line 2: 'a:b,1,0,x,0' has no size in bytes/],
    ['a:b,1,0\n', /line 2: .* is no row/],
    ['a:b,1,gpu,8,0\n', /line 2: .* is no row/],
    ['', /has no whole row/],
  ])('refuses %j', (rows, message) => {
    expect(() => readCsv(HEADER + rows)).toThrow(message);
  });

  it('leaves out a driver that counts less than MXNet, and a cut last row', () => {
    const recording = readCsv(
      `${HEADER}a:in_arg:w,4,0,8,0\nnvml_amend,-5,0,-5,0\na:in_arg:v,4,0,8`,
    );
    expect(tags(recording).totals).toMatchObject({ bytes: 8, count: 1 });
    expect(recording.run.warnings.join('\n')).toMatch(/counts less than .*\n.*cut off/);
  });
});
