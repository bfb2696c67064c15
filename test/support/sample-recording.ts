import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import { type TableName, TIME_FROM } from '../../src/model/schema.ts';
import { addRow, type NamedCells } from './rows.ts';

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
  const add = (table: TableName, cells: NamedCells) => addRow(builder, table, cells);
  builder.table('host', MEMINFO);
  for (let i = 0; i < rows; i++) {
    const time = i * 10_000_000 + (i % 3);
    const free = 7 * GiB - i * 1024 ** 2;
    add('host', {
      time,
      MemTotal: 8 * GiB,
      MemFree: i % 5 === 0 ? null : free,
      MemAvailable: free,
      AnonPages: i * 4096,
      Shmem: 0,
      HugePages_Total: 0,
      recorder_anon: 16 * 1024 ** 2,
      stolen: i % 20 === 0 ? i * 1e6 : null,
    });
    for (const pid of [100, 101]) {
      add('process', {
        time,
        pid,
        rss: i * 4096,
        anon: i * 2048,
        file: i * 1024,
        swap: 0,
        hwm: i * 4096,
        pss: i % 4 === 0 ? null : i * 3000 + 0.5,
        pss_estimated: i & 1,
        cpu: i % 10 === 0 ? i * 5e6 : null,
      });
    }
    const group = { current: i * 5000, peak: i * 5000, file: 12, oom_kills: 0 };
    add('cgroup', { time, ...group, anon: i * 4000, shmem: 12 });
    add('gpu', { time, gpu: 0, used: i * 1e6, reserved: 5e8, free: 1e9, total: 2e9 });
    add('gpu_process', { time, gpu: 0, pid: 100, used: i * 1e6 });
    add('device_group', { time, region: '0000:03:00.0/vram0', current: i * 1e6, peak: i * 1e6 });
  }
  const mapped = { time: 1e8, pid: 100, rss: 5e6 };
  add('mapped', { ...mapped, kind: 'code', name: '/usr/lib/libc.so.6', bytes: 2e6 });
  add('mapped', { ...mapped, kind: 'heap', name: '', bytes: 3e6 });
  add('intake', { time: 1e8, pid: 100, read: 4096, asked: 8e6, busy: 5e6 });
  add('intake', { time: 2e8, pid: 100, read: null, asked: 9e6 });
  add('malloc', { time: 1e8, pid: 100, held: 6e6, in_use: 4e6, free: 1e6, free_held: 9e5 });
  add('own_memory', { time: 1e8, pid: 103, inside: 0, rss: 8192 });
  add('own_memory', { time: 2e8, pid: 103, inside: 0, rss: 8192, private: 4096 });
  add('clock', { monotonic: 0, wall: 1_767_323_045_000_000_000 });
  add('clock', { monotonic: 250_000_000, wall: 1_767_323_045_250_000_000 });
  const start = { time_from: TIME_FROM.agent, kind: 'start', name: 'start' };
  add('marks', { time: 250_000_000, pid: 100, ...start });
  for (const [i, name] of AWKWARD.entries()) {
    const numbers = { rank: 0, epoch: 1, iteration: i, value: 0.1 + i };
    add('marks', { time: 260_000_000 + i, pid: 100, kind: 'iteration', name, ...numbers });
  }
  for (const [i, text] of AWKWARD.entries()) {
    const names = { argv: text, name: text, role: 'main' };
    const seen = { first_seen: i * 1e7, last_seen: i % 2 === 0 ? null : 5e8 + i };
    add('processes', { pid: 100 + i, start_time: 4711 + i, ppid: 1, ...names, ...seen });
  }
  const addresses = [0n, 2n ** 53n + 1n, 2n ** 64n - 1n];
  for (const [i, address] of addresses.entries()) {
    add('allocations', { time: i * 1e6, action: i, address, size: 512, tag: i });
  }
  add('pools', { stream: 2n ** 64n - 1n });
  add('pools', { stream: 0n, owner: 0, number: 1 });
  add('segments', { address: 2n ** 53n + 1n, size: 2048, pool: 1, kind: 2 });
  add('blocks', { address: 2n ** 53n + 1n, size: 1024, requested: 512, state: 1 });
  add('blocks', { address: 2n ** 53n + 1025n, size: 1024, requested: 0 });
  add('stacks', { parent: 0, frame: 0 });
  add('stacks', { parent: 0, frame: 1 });
  add('frames', { function: 'forward', file: 'train.py', line: 7 });
  add('frames', {});
  const used = { device: 'cpu:0', kind: 'buffer', stack: 1, objects: 3, bytes: 4096 };
  add('live_stacks', { ...used, allocated_bytes: 8192 });
  for (const tag of AWKWARD) add('tags', { tag });
  const now = { time: 1e8, pid: 100 };
  const weight = { name: 'conv1.weight', kind: 'weight', bytes: 2000 };
  add('layers', { ...now, epoch: 1, iteration: 85, ...weight });
  add('counters', { ...now, rank: 0, name: 'torch0.allocated', value: 4096 });
  add('counters', { ...now, time: 2e8, name: 'malloc.in_use' });
  const tensor = { shape: '[64, 256]', dtype: 'float32', device: 'cpu', what: 'leaf' };
  const losses = { holder: 'list of 15 in losses', count: 3, bytes: 196_608 };
  add('tensors', { ...now, rank: 0, ...tensor, ...losses });
  const cache = {
    kind: 'container',
    type: 'dict',
    of: 'numpy.ndarray',
    holder: 'cache of __main__',
  };
  const size = { count: 120, grown: 100, watched: 12.5, bytes: 960_000 };
  add('objects', { ...now, ...cache, ...size });
  const held = { category: 'container', what: 'list', holder: 'kept of __main__' };
  add('held', { ...now, ...held, count: 12, bytes: 4096, small: 512 });
  const ran = { of: 'host', place: 'train.py:7', function: 'forward', pass: 'forward' };
  add('moments', { ...now, ...ran, module: 'Net', grad: 2 });
  const planned = { engine: 'vllm', version: '0.11.0', worker: 'Worker_TP0', load: 1, device: '' };
  const weights = { what: 'weights', value: 9e9, wording: 'Model loading took', line: 12 };
  add('planned', { ...now, ...planned, ...weights });
  add('planned', { time: 2e8, ...planned, ...weights, what: 'kv' });
  const busy = { engine: 'vllm', worker: '', source: 'log', kv_used: 0.38, running: 3 };
  add('serving', { time: 1e8, ...busy, waiting: 0, preemptions: null });
  add('serving', { time: 2e8, ...busy, source: 'metrics', preemptions: 2 });
  const fed = { what: 'forward', module: 'Net', shape: '[8, 128]', passes: 12, tokens: 12_288 };
  const spent = { spent: 6e8, longest: 9e7, peak: 65_536, before: 4096 };
  add('passes', { ...now, ...fed, ...spent });
  return builder.build();
}
