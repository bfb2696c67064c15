import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Cell } from '../../src/model/column-data.ts';
import { plainRows } from '../../src/model/plain.ts';
import type { Recording } from '../../src/model/recording.ts';
import { type TableName, tableSpec } from '../../src/model/schema.ts';

const MEMINFO = ['MemTotal', 'MemFree', 'MemAvailable', 'AnonPages', 'Shmem', 'HugePages_Total'];
const GiB = 1024 ** 3;

/** Texts that break careless writers. */
const AWKWARD = ['', 'a,b', 'say "hi"', 'two\nlines', 'cr\r\nlf', ' spaced ', 'naïve ✓ 名', "'"];

/**
 * A small recording with rows in every table. Figures are easy to know by heart: host.used is
 * 1 GiB plus 1 MiB a row, the recorder holds 16 MiB of it, the workload starts at 0.25 s.
 */
export function sampleRecording(rows = 40): Recording {
  const builder = new RecordingBuilder({
    id: 'sample-1',
    name: 'sample',
    argv: ['python', 'train.py', '--note', 'a "b", c'],
    subject: 'command',
    startedAt: '2026-01-02T03:04:05.000Z',
    endedAt: '2026-01-02T03:04:06.000Z',
    labels: { rank: '0' },
    allocator: {
      source: 'sample',
      settings: { max_split_size: -1, expandable_segments: false, 'nested.note': 'a "b"' },
      overflowed: true,
      maxEntries: 3,
      range: { from: 1, to: 4 },
    },
  });
  const table = (name: TableName) => plainRows(builder, tableSpec(name, MEMINFO));
  const host = table('host');
  const process = table('process');
  const cgroup = table('cgroup');
  const gpu = table('gpu');
  const gpuProcess = table('gpu_process');
  for (let i = 0; i < rows; i++) {
    const time = i * 10_000_000 + (i % 3);
    const free = 7 * GiB - i * 1024 ** 2;
    host([time, 8 * GiB, i % 5 === 0 ? null : free, free, i * 4096, 0, 0, null, 16 * 1024 ** 2]);
    for (const pid of [100, 101]) {
      const pss = i % 4 === 0 ? null : i * 3000 + 0.5;
      process([time, pid, i * 4096, i * 2048, i * 1024, null, 0, i * 4096, pss, i & 1]);
    }
    cgroup([time, i * 5000, i * 5000, null, 12, 0]);
    gpu([time, 0, i * 1e6, 5e8, 1e9, 2e9]);
    gpuProcess([time, 0, 100, i * 1e6]);
  }
  builder.table('clock').push([0, 1_767_323_045_000_000_000]);
  builder.table('clock').push([250_000_000, 1_767_323_045_250_000_000]);
  const marks = table('marks');
  marks([250_000_000, 2, 100, null, 'start', 'start', null, null, null]);
  for (const [i, name] of AWKWARD.entries()) {
    marks([260_000_000 + i, 0, 100, 0, 'iteration', name, 1, i, 0.1 + i]);
  }
  const processes = table('processes');
  for (const [i, text] of AWKWARD.entries()) {
    const last: Cell = i % 2 === 0 ? null : 5e8 + i;
    processes([100 + i, 4711 + i, 1, text, text, 'main', null, i * 1e7, last]);
  }
  const allocations = table('allocations');
  const addresses = [0n, 2n ** 53n + 1n, 2n ** 64n - 1n];
  for (const [i, address] of addresses.entries()) {
    allocations([i * 1e6, 0, 0, i, address, 512, 0, i]);
  }
  builder.table('pools').push([2n ** 64n - 1n, null, null]);
  builder.table('pools').push([0n, 0, 1]);
  builder.table('segments').push([0, 2n ** 53n + 1n, 2048, 1, 2, 0, 0]);
  builder.table('blocks').push([0, 2n ** 53n + 1n, 1024, 512, 1, 0]);
  builder.table('blocks').push([0, 2n ** 53n + 1025n, 1024, 0, 0, 0]);
  builder.table('stacks').push([0, 0]);
  builder.table('stacks').push([0, 1]);
  table('frames')(['forward', 'train.py', 7]);
  table('frames')(['', '', 0]);
  for (const text of AWKWARD) table('tags')([text]);
  table('layers')([1e8, 100, null, 1, 85, 'conv1.weight', 'weight', 2000]);
  table('counters')([1e8, 100, 0, 'torch0.allocated', 4096]);
  table('counters')([2e8, 100, null, 'malloc.in_use', null]);
  const tensor = ['[64, 256]', 'float32', 'cpu', 'leaf', 'list of 15 in losses'];
  table('tensors')([1e8, 100, 0, ...tensor, 3, 196_608]);
  const cache = ['container', 'dict', 'numpy.ndarray', 'cache of __main__'];
  table('objects')([1e8, 100, null, ...cache, 120, 100, 12.5, 960_000]);
  return builder.build();
}
