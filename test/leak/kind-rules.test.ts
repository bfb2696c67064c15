import { describe, expect, it } from 'vitest';
import { leak } from '../../src/analyses/leak/index.ts';
import { report } from '../../src/analyses/report.ts';
import { KiB, MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { RunInfo } from '../../src/model/run.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { leakSentence } from '../../src/views/report/leak.ts';
import { reportText } from '../../src/views/report/text.ts';
import { addRow } from '../support/rows.ts';

type At = (step: number) => number;
type TensorRow = readonly [shape: string, device: string, what: string, holder: string];

/** A run as one would tell it: bytes at each of 200 iterations, of one process, a tenth of a second each. */
interface Story {
  readonly rss: At;
  readonly pss?: At;
  readonly anon?: At;
  readonly file?: At;
  readonly shmem?: At;
  readonly role?: string;
  /** Its command line. */
  readonly program?: string;
  readonly counters?: Readonly<Record<string, At>>;
  /** Looked at in the third, the middle and the last iteration. */
  readonly tensors?: readonly {
    readonly row: TensorRow;
    readonly count: At;
    readonly each: number;
  }[];
  readonly containers?: readonly {
    readonly holder: string;
    readonly count: At;
    readonly each: number;
  }[];
  /** Nodes that hang on a variable. */
  readonly graphs?: readonly { readonly holder: string; readonly nodes: At }[];
  /** Beside it a process that does not grow. */
  readonly beside?: string;
  /** Of a model's parts, as its profiler tells them in each iteration. */
  readonly parts?: readonly { readonly name: string; readonly kind: string; readonly at: At }[];
  /** The log names every so many iterations only. */
  readonly named?: number;
}

const STEPS = 200;
const LOOKS = [3, 100, 199];

function recordingOf(story: Story, run: Partial<RunInfo> = {}): Recording {
  const builder = new RecordingBuilder({
    id: 'told',
    name: 'told',
    argv: ['train'],
    subject: 'command',
    endedAt: '2026-01-01T00:01:00.000Z',
    ...run,
  });
  const { rss, pss = rss, anon = rss, file = () => 0, shmem = () => 0 } = story;
  const pids = story.beside ? [1, 2] : [1];
  for (let step = 0; step < STEPS; step++) {
    const now = { time: step * 0.1 * SECOND_NS, pid: 1 };
    const sizes = { rss: rss(step), anon: anon(step), file: file(step), shmem: shmem(step) };
    addRow(builder, 'process', { ...now, ...sizes, swap: 0, pss: pss(step) });
    if (story.beside) {
      const flat = { rss: 50 * MiB, anon: 50 * MiB, file: 0, shmem: 0, swap: 0, pss: 50 * MiB };
      addRow(builder, 'process', { ...now, pid: 2, ...flat });
    }
    const mark = { time_from: TIME_FROM.agent, kind: 'iteration', iteration: step };
    if (step % (story.named ?? 1) === 0) addRow(builder, 'marks', { ...now, ...mark });
    for (const { name, kind, at } of story.parts ?? []) {
      addRow(builder, 'layers', { ...now, iteration: step, name, kind, bytes: at(step) });
    }
    for (const [name, at] of Object.entries(story.counters ?? {})) {
      addRow(builder, 'counters', { ...now, name, value: at(step) });
    }
    if (!LOOKS.includes(step)) continue;
    for (const { row, count, each } of story.tensors ?? []) {
      const [shape, device, what, holder] = row;
      const texts = { shape, dtype: 'float32', device, what, holder };
      addRow(builder, 'tensors', {
        ...now,
        ...texts,
        count: count(step),
        bytes: count(step) * each,
      });
    }
    for (const { holder, nodes } of story.graphs ?? []) {
      const texts = { kind: 'graph', type: 'AddBackward0', holder };
      const grown = { grown: nodes(step) - nodes(3), watched: (step - 3) * 0.1 };
      addRow(builder, 'objects', { ...now, ...texts, ...grown, count: nodes(step), bytes: 0 });
    }
    for (const { holder, count, each } of story.containers ?? []) {
      const texts = { kind: 'container', type: 'dict', of: 'str', holder };
      const grown = { grown: count(step) - count(3), watched: (step - 3) * 0.1 };
      const sums = { count: count(step), bytes: count(step) * each };
      addRow(builder, 'objects', { ...now, ...texts, ...grown, ...sums });
    }
  }
  const roles = [story.role ?? 'main', story.beside ?? ''];
  for (const [i, pid] of pids.entries()) {
    const argv = story.program ?? 'python train.py';
    const names = { argv, name: argv.split(' ')[0]!.slice(-15), role: roles[i]! };
    const seen = { start_time: 1, first_seen: 0, last_seen: STEPS * 0.1 * SECOND_NS };
    addRow(builder, 'processes', { pid, ...names, ...seen });
  }
  return builder.build();
}

const GROWS: At = (step) => 400 * MiB + step * MiB;
const FLAT: At = () => 100 * MiB;
const by =
  (each: number): At =>
  (step) =>
    10 * MiB + step * each;
/** As an agent tells when nothing inside grows. */
const QUIET = { 'python.blocks': () => 1e6, 'malloc.in_use': FLAT, 'malloc.free': FLAT };

describe('the kind of a leak', () => {
  const kindOf = (story: Story) => leak(recordingOf(story));

  it('is none where nothing leaks', () => {
    expect(kindOf({ rss: FLAT, counters: QUIET })).toMatchObject({
      kind: null,
      evidence: [],
      advice: [],
    });
  });

  const KEPT = { name: 'conv1 at model.ts:48', kind: 'kept', at: by(MiB) };

  it('is tensors where the profiler of a model sees them pile up, though the log names few iterations', () => {
    const parts = [{ name: 'conv1', kind: 'weight', at: FLAT }, KEPT];
    const found = kindOf({ rss: GROWS, parts, named: 10 });
    expect(found).toMatchObject({ verdict: 'leak', kind: 'tensors' });
    expect(found.trend).toMatchObject({ over: 'iterations', values: 190 });
    const [first] = found.evidence;
    expect(first).toMatchObject({ name: 'kept tensors of conv1 at model.ts:48', unit: 'bytes' });
    expect(first!.amount / MiB).toBeCloseTo(1, 3);
    expect(found.advice[0]).toMatch(/^they outlive the iteration that makes them/);
    expect(reportText(report(recordingOf({ rss: GROWS, parts, named: 10 })))).toMatch(
      /^ {2}kind +tensors that are kept: kept tensors of conv1 at model\.ts:48 \(\+1\.00 MiB\/iteration\)$/m,
    );
  });

  it('is not what a model keeps where that explains too little of it', () => {
    const few = { ...KEPT, at: by(100 * KiB) };
    expect(kindOf({ rss: GROWS, parts: [few], named: 10 })).toMatchObject({
      verdict: 'leak',
      kind: 'unknown',
    });
  });

  const TOTAL = { holder: 'total of __main__ at train.py:23', nodes: (step: number) => 8 * step };
  const KEPT_FREE = { ...QUIET, 'malloc.in_use': by(6 * KiB), 'malloc.free': by(MiB) };

  it('is a graph that one tensor keeps, though malloc keeps most of it free', () => {
    const found = kindOf({ rss: GROWS, counters: KEPT_FREE, graphs: [TOTAL] });
    expect(found.kind).toBe('tensors');
    expect(found.culprit).toMatchObject({
      kind: 'tensors',
      process: 'main (pid 1)',
      name: 'graph of 1592 nodes kept by total of __main__ at train.py:23',
      where: 'train.py:23',
    });
    expect(found.evidence[0]).toMatchObject({ amount: 8, per: 'iteration', holder: TOTAL.holder });
    expect(found.advice[0]).toMatch(/total \+= loss\.item\(\)/);
  });

  it('is no graph that stays as large as it is, nor one beside memory that malloc has not got', () => {
    const flat = { ...TOTAL, nodes: () => 500 };
    expect(kindOf({ rss: GROWS, counters: KEPT_FREE, graphs: [flat] }).kind).toBe('allocator');
    expect(kindOf({ rss: GROWS, counters: QUIET, graphs: [TOTAL] }).kind).toBe('native');
  });

  it('is native where malloc hands out more, and Python has nothing to show for it', () => {
    const found = kindOf({ rss: GROWS, counters: { ...QUIET, 'malloc.in_use': by(MiB) } });
    expect(found.kind).toBe('native');
    const figure = found.evidence.find(({ name }) => name === 'malloc.in_use')!;
    expect(figure).toMatchObject({ unit: 'bytes', per: 'iteration', count: null });
    expect(figure.amount / MiB).toBeCloseTo(1, 3);
  });

  it('is native also where it was mapped past malloc, and says so', () => {
    const found = kindOf({ rss: GROWS, counters: QUIET });
    expect(found.kind).toBe('native');
    expect(found.advice.join(' ')).toContain('mmap');
  });

  it('is the allocator where malloc keeps more and more that is free', () => {
    const found = kindOf({ rss: GROWS, counters: { ...QUIET, 'malloc.free': by(MiB) } });
    expect(found.kind).toBe('allocator');
    expect(found.advice.join(' ')).toMatch(/malloc_trim.*MALLOC_ARENA_MAX/);
  });

  it('is tensors where kept losses leave holes that malloc cannot give back', () => {
    const losses = ['[]', 'cpu', 'MeanBackward0', 'list of 199 in losses of __main__'] as const;
    const found = kindOf({
      rss: GROWS,
      counters: { ...QUIET, 'malloc.free': by(MiB), 'malloc.in_use': by(8 * KiB) },
      tensors: [{ row: losses, count: (step) => step, each: 4 }],
    });
    expect(found.kind).toBe('tensors');
    expect(found.evidence[0]).toMatchObject({
      name: 'tensors [] float32',
      count: 199,
      madeBy: 'MeanBackward0',
      holder: 'list of 199 in losses of __main__',
    });
    expect(found.evidence[0]!.amount).toBeCloseTo(1, 6);
  });

  it('is Python objects by a container, also where its texts came from malloc', () => {
    const found = kindOf({
      rss: GROWS,
      counters: { ...QUIET, 'malloc.in_use': by(MiB) },
      containers: [{ holder: 'cache of __main__', count: (step) => 10 + 4 * step, each: MiB / 4 }],
    });
    expect(found.kind).toBe('python-objects');
    expect(found.evidence[0]).toMatchObject({ name: 'dict of str', holder: 'cache of __main__' });
    expect(found.evidence[0]!.amount / MiB).toBeCloseTo(1, 3);
    expect(found.advice[0]).toContain('dict cache of __main__ grows by 4 entries');
  });

  it('is Python objects by their number alone, where no container was found', () => {
    const blocks: At = (step) => 1e6 + step * 10_000;
    const found = kindOf({ rss: GROWS, counters: { ...QUIET, 'python.blocks': blocks } });
    expect(found.kind).toBe('python-objects');
    expect(found.advice.join(' ')).toContain('tracemalloc');
  });

  it('is not Python objects for a log of floats beside a leak of a library', () => {
    const counters = {
      ...QUIET,
      'malloc.in_use': by(MiB),
      'python.blocks': ((step) => 1e6 + 3 * step) as At,
    };
    const log = { holder: 'history of __main__', count: (step: number) => 20 + step, each: 32 };
    expect(kindOf({ rss: GROWS, counters, containers: [log] }).kind).toBe('native');
  });

  const LOOKED = { 'looks.taken': (step: number) => 1 + step / 50, 'looks.cut': () => 0 };

  it('is threads where they become more and nothing else explains it', () => {
    const counters = { ...QUIET, ...LOOKED, 'os.threads': (step: number) => 5 + 8 * step };
    const found = kindOf({ rss: GROWS, counters });
    expect(found).toMatchObject({ verdict: 'leak', kind: 'threads' });
    expect(found.evidence.find(({ name }) => name === 'os.threads')!.amount).toBeCloseTo(8, 3);
    expect(found.advice[0]).toMatch(/^join each thread/);
    expect(reportText(report(recordingOf({ rss: GROWS, counters })))).toMatch(
      /^ {2}os\.threads +\+8\/iteration {2}threads$/m,
    );
  });

  it('is not threads where each would have taken far more than it can, or hardly a page', () => {
    for (const each of [0.01, 1000]) {
      const counters = { ...QUIET, ...LOOKED, 'os.threads': (step: number) => 5 + each * step };
      expect(kindOf({ rss: GROWS, counters }).kind).not.toBe('threads');
    }
  });

  it('is files that are not closed, but for those in a container that is named', () => {
    const counters = { ...QUIET, ...LOOKED, 'os.files': (step: number) => 9 + 100 * step };
    expect(kindOf({ rss: GROWS, counters }).kind).toBe('open-files');
    const containers = [{ holder: 'kept of __main__', count: by(100), each: 9 * KiB }];
    expect(kindOf({ rss: GROWS, counters, containers })).toMatchObject({
      kind: 'python-objects',
      culprit: { where: '__main__.kept' },
    });
  });

  it('is not native where Python has more objects too, and a look from names has not seen who holds them', () => {
    const counters = { ...QUIET, ...LOOKED, 'malloc.in_use': GROWS };
    expect(kindOf({ rss: GROWS, counters }).kind).toBe('native');
    const more = { ...counters, 'python.blocks': (step: number) => 1e6 + 2 * step };
    const found = kindOf({ rss: GROWS, counters: more });
    expect(found.kind).toBe('unknown');
    expect(found.advice[0]).toMatch(
      /^containers that the program's own names lead to were looked at, and none/,
    );
  });

  it('is shared memory where mapped shared pages grow', () => {
    const found = kindOf({ rss: GROWS, anon: FLAT, shmem: by(MiB), counters: QUIET });
    expect(found.kind).toBe('shared-memory');
  });

  it('is pinned memory where torch tells so, with the tensors and who holds them', () => {
    const counters = {
      ...QUIET,
      'shm.used': () => 0,
      'pinned.allocated': by(MiB),
      'pinned.reserved': by(MiB),
    };
    const holder = 'list of 150 in batches of __main__ at train.py:7';
    const row = ['[128, 4096]', 'cpu pinned', '', holder] as const;
    const tensors = [{ row, count: (step: number) => step, each: MiB }];
    const story = { rss: GROWS, anon: FLAT, shmem: by(MiB), counters };
    const found = kindOf({ ...story, tensors });
    expect(found).toMatchObject({ kind: 'pinned', culprit: { name: holder, where: 'train.py:7' } });
    expect(found.evidence[0]).toMatchObject({ name: 'tensors [128, 4096] float32, pinned' });
    expect(found.advice.join()).toMatch(
      /keep pageable copies there.*DataLoader\(pin_memory=True\)/,
    );
    expect(found.advice.join()).not.toMatch(/dev.shm/);
    const text = reportText(report(recordingOf({ ...story, tensors })));
    expect(text).toMatch(/kind +pinned pages: host memory that is locked for copies to a card/);
    const kept = { ...counters, 'pinned.allocated': () => MiB };
    expect(kindOf({ ...story, counters: kept }).advice[0]).toMatch(/blocks that were given back/);
  });

  it('is pinned memory where shared pages grow on a card, and /dev/shm does not', () => {
    const story = { rss: GROWS, anon: FLAT, shmem: by(MiB) };
    const onCard = { ...QUIET, 'shm.used': () => 0, 'torch0.allocated': () => 35 * MiB };
    const found = kindOf({ ...story, counters: onCard });
    expect(found).toMatchObject({ kind: 'pinned', culprit: { name: 'pinned pages' } });
    expect(found.advice.at(-1)).toMatch(/^told by what it is not/);
    const files = { ...onCard, 'shm.used': by(MiB) };
    expect(kindOf({ ...story, counters: files }).kind).toBe('shared-memory');
    const noCard = { ...QUIET, 'shm.used': () => 0 };
    expect(kindOf({ ...story, counters: noCard }).kind).toBe('shared-memory');
    const { 'shm.used': _, ...unknown } = onCard;
    expect(kindOf({ ...story, counters: unknown }).kind).toBe('shared-memory');
  });

  it('is shared memory where files stay in /dev/shm, though no process grows', () => {
    const counters = { ...QUIET, 'shm.used': by(MiB) };
    const left = [{ pattern: 'torch_*', files: 200, bytes: 200 * MiB }];
    const found = leak(recordingOf({ rss: () => 400 * MiB, counters }, { leftInShm: left }));
    expect(found).toMatchObject({ verdict: 'leak', kind: 'shared-memory' });
    expect(found.evidence[0]).toMatchObject({ name: '/dev/shm/torch_*', count: 200, per: 'run' });
    const others = leak(recordingOf({ rss: () => 400 * MiB, counters }));
    expect(others).toMatchObject({ kind: null });
  });

  it("is not shared memory for another's files in /dev/shm", () => {
    const counters = { ...QUIET, 'malloc.in_use': by(MiB), 'shm.used': by(MiB) };
    expect(kindOf({ rss: GROWS, counters }).kind).toBe('native');
  });

  it('is none for pages of files, and unknown for a process that nobody looks into', () => {
    const mapped = kindOf({ rss: GROWS, anon: FLAT, file: by(MiB), counters: QUIET });
    expect(mapped).toMatchObject({ verdict: 'bounded', kind: null });
    const silent = kindOf({ rss: GROWS });
    expect(silent).toMatchObject({ verdict: 'leak', kind: 'unknown' });
    expect(silent.culprit).toMatchObject({ name: 'private memory', where: null });
    const worker = kindOf({ rss: GROWS, role: 'data loader 1', beside: 'main' });
    expect(worker).toMatchObject({ kind: 'unknown', culprit: { role: 'data loader' } });
    expect(worker.advice.join(' ')).toContain('num_workers=0');
  });

  it('is advised upon in the words of the program that it is in', () => {
    const TORCH = /torch|tensor|num_workers|DataLoader|persistent_workers/i;
    const advised = (story: Story, run: Partial<RunInfo> = {}) =>
      leak(recordingOf(story, run)).advice.join('\n');
    expect(advised({ rss: GROWS })).toMatch(/record --heap 3/);
    // Its V8 does not grow: whatever does is no garbage that it has not collected yet.
    const counters = { 'v8.heap': FLAT, 'v8.external': FLAT, 'v8.collections': () => 0 };
    const node = { rss: GROWS, program: 'node server.js', counters };
    expect(advised(node)).toMatch(/record --heap 3/);
    expect(advised({ rss: GROWS, program: './server' })).toMatch(/heaptrack/);
    const copies: Story = {
      rss: FLAT,
      pss: GROWS,
      anon: FLAT,
      role: 'worker 1',
      beside: 'worker 2',
    };
    const left = [{ pattern: 'cache-*', files: 200, bytes: 200 * MiB }];
    const files: Story = { rss: FLAT, counters: { ...QUIET, 'shm.used': by(MiB) } };
    const without = [{ rss: GROWS }, { rss: GROWS, role: 'worker 1', beside: 'main' }, copies];
    for (const story of without) expect(advised(story)).not.toMatch(TORCH);
    expect(advised(files, { leftInShm: left })).toMatch(/unlink/);
    expect(advised(files, { leftInShm: left })).not.toMatch(TORCH);
    const theirs = [{ pattern: 'torch_*', files: 200, bytes: 200 * MiB }];
    expect(advised(files, { leftInShm: theirs })).toMatch(TORCH);
  });

  it('says what was looked at and does not grow, where no kind is shown', () => {
    const text = reportText(report(recordingOf({ rss: GROWS })));
    expect(text).toMatch(
      /^ {2}does not grow +pages of mapped files, shared memory that is mapped$/m,
    );
  });
});

describe('memory of a device', () => {
  const reserved: At = (step) => 900 * MiB + step * 2 * MiB;
  const story = (allocated: At, tensors: Story['tensors'] = []): Story => ({
    rss: () => 400 * MiB,
    counters: { ...QUIET, 'torch0.allocated': allocated, 'torch0.reserved': reserved },
    tensors,
  });

  it('leaks where torch hands out more and more, by tensors', () => {
    const kept = ['[64, 8192]', 'cuda:0', '', 'list of 199 in outputs of Trainer'] as const;
    const tensors = [{ row: kept, count: (step: number) => step, each: 2 * MiB }];
    const recording = recordingOf(story((step) => 800 * MiB + step * 2 * MiB, tensors));
    const found = leak(recording);
    expect(found).toMatchObject({ verdict: 'leak', kind: 'tensors' });
    expect(found.culprit).toMatchObject({ measure: 'device', role: null, other: null });
    expect(found.evidence[0]).toMatchObject({ name: 'tensors [64, 8192] float32 on cuda:0' });
    const facts = report(recording);
    expect(leakSentence(facts)).toBe('Leak: +2.00 MiB/iteration on the device (torch0.allocated).');
    expect(reportText(facts)).toMatch(
      /kind +tensors that are kept: 199 tensors \[64, 8192\] float32 on cuda:0, held by list of 199/,
    );
  });

  it('is fragmented where torch holds more and more than it handed out', () => {
    const found = leak(recordingOf(story(() => 800 * MiB)));
    expect(found).toMatchObject({ verdict: 'leak', kind: 'allocator' });
    expect(found.culprit!.series).toBe('torch0.reserved');
    expect(found.advice.join(' ')).toContain('expandable_segments');
  });
});
