import { describe, expect, it } from 'vitest';
import { explainOom, LineMarker, oomIn, oomTitle } from '../../src/formats/log-lines/index.ts';
import type { OomFigures } from '../../src/model/out-of-memory.ts';

const GiB = 1024 ** 3;
const MiB = 1024 ** 2;
const near = (bytes: number) => expect.closeTo(bytes, -5);

const NEW =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.20 GiB is free. Process 12345 has 22.48 GiB memory in use. Of the allocated memory 18.00 GiB is allocated by PyTorch, and 3.50 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting …';
const OLD =
  'RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 1; 11.17 GiB total capacity; 10.50 GiB already allocated; 3.50 MiB free; 10.75 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory …';

describe('processes that a message lists without saying which is its own', () => {
  const listing = (...sizes: number[]) => {
    const users = sizes.map(
      (size, i) => `Process ${100 + i} has ${size.toFixed(2)} GiB memory in use.`,
    );
    return oomIn(
      `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 1.20 GiB is free. ${users.join(' ')} Of the allocated memory 19.30 GiB is allocated by PyTorch, and 0.10 GiB is reserved by PyTorch but unallocated.`,
    );
  };

  it('are told apart where only one can be', () => {
    expect(listing(119, 20.3)).toMatchObject({
      process: near(20.3 * GiB),
      others: near(119 * GiB),
    });
    expect(listing(20.3, 3.5)).toMatchObject({
      process: near(20.3 * GiB),
      others: near(3.5 * GiB),
    });
  });

  it('are not where two hold about as much: the figure of this one is not called that of others', () => {
    const either = listing(20.3, 19.5)!;
    expect(either).not.toHaveProperty('process');
    expect(either).not.toHaveProperty('others');
    expect(explainOom(either).join(' ')).not.toMatch(/Other processes/);
  });
});

describe('out-of-memory messages', () => {
  it.each<[string, OomFigures]>([
    [
      NEW,
      {
        source: 'torch',
        place: 'gpu',
        gpu: 0,
        asked: 2 * GiB,
        total: near(23.69 * GiB),
        free: near(1.2 * GiB),
        process: near(22.48 * GiB),
        pid: 12345,
        allocated: 18 * GiB,
        reservedUnused: 3.5 * GiB,
      },
    ],
    [
      OLD,
      {
        source: 'torch',
        place: 'gpu',
        gpu: 1,
        asked: 20 * MiB,
        total: near(11.17 * GiB),
        free: 3.5 * MiB,
        allocated: 10.5 * GiB,
        reservedUnused: 0.25 * GiB,
      },
    ],
    [
      'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacty of 4.00 GiB of which 17179869184.00 GiB is free. Including non-PyTorch memory, this process has 3.50 GiB memory in use.',
      { source: 'torch', place: 'gpu', gpu: 0, asked: GiB, total: 4 * GiB, process: 3.5 * GiB },
    ],
    [
      'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 68719476736 bytes.',
      { source: 'jax', place: 'gpu', asked: 64 * GiB },
    ],
    [
      'OOM when allocating tensor with shape[64,512,512] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc',
      { source: 'tensorflow', place: 'gpu', gpu: 0, shape: '[64,512,512] float', asked: 64 * MiB },
    ],
    [
      'FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory',
      { source: 'v8', place: 'heap' },
    ],
    [
      'RuntimeError: DataLoader worker (pid 12345) is killed by signal: Bus error. It is possible that …',
      { source: 'dataloader', place: 'shm', pid: 12345 },
    ],
    [
      'ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).',
      { source: 'dataloader', place: 'shm' },
    ],
    [
      'RuntimeError: unable to allocate shared memory(shm) for file </torch_24328_3918530981_0>: Resource temporarily unavailable (11)',
      { source: 'dataloader', place: 'shm' },
    ],
    ['MemoryError', { source: 'python', place: 'host' }],
    [
      'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array with shape (1000000000,) and data type float64',
      { source: 'numpy', place: 'host', asked: near(7.45 * GiB), shape: '(1000000000,)' },
    ],
    [
      "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes. Error code 12 (Cannot allocate memory)",
      { source: 'torch', place: 'host', asked: 4096 },
    ],
    ['Killed', { source: 'kernel', place: 'host', unexplained: true }],
    [
      './train.sh: line 5: 12345 Killed                  python train.py',
      { source: 'kernel', place: 'host', pid: 12345, unexplained: true },
    ],
    [
      '[ 12.3] Out of memory: Killed process 4242 (python) total-vm:9kB, anon-rss:2048kB, file-rss:0kB',
      { source: 'kernel', place: 'host', pid: 4242, process: 2 * MiB, machineFull: true },
    ],
    [
      "terminate called after throwing an instance of 'std::bad_alloc'",
      { source: 'c++', place: 'host' },
    ],
    ['OSError: [Errno 12] Cannot allocate memory', { source: 'system', place: 'host' }],
    ['fork: Cannot allocate memory', { source: 'system', place: 'host' }],
  ])('%s', (line, figures) => {
    expect(oomIn(line)).toEqual(figures);
    const [mark] = new LineMarker().feed(line);
    // By whom and why, a shell does not know; a recorder does.
    if (figures.unexplained) return void expect(mark).toBeUndefined();
    expect(mark).toMatchObject({ kind: 'oom', name: oomTitle(oomIn(line)!) });
    expect(explainOom(oomIn(line)!).join(' ')).toMatch(/\.$/);
  });

  it('are named and explained with their figures', () => {
    const oom = oomIn(NEW)!;
    expect(oomTitle(oom)).toBe(
      'GPU 0 out of memory (torch): asked for 2.00 GiB, 1.20 GiB of 23.7 GiB free',
    );
    expect(explainOom(oom)).toEqual([
      '2.00 GiB were asked for and 1.20 GiB were free.',
      'Tensors held 18.0 GiB.',
      'The allocator kept 3.50 GiB that no tensor used, in pieces too small: `highwater what-if` tells of a snapshot which setting would have helped.',
    ]);
  });

  it('are not put down to pieces where more was free than was asked for', () => {
    const line = (limit: string) =>
      `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139.81 GiB of which 132.00 GiB is free. ` +
      `Including non-PyTorch memory, this process has 7.00 GiB memory in use.${limit} Of the allocated memory 4.00 GiB is allocated by PyTorch, and 2.50 GiB is reserved by PyTorch but unallocated.`;
    const limited = explainOom(oomIn(line(' 7.00 GiB allowed;'))!).join(' ');
    expect(limited).toMatch(/132 GiB were free: a limit was reached, 7.00 GiB/);
    expect(limited).not.toMatch(/in pieces/);
    const open = explainOom(oomIn(line(''))!).join(' ');
    expect(open).toMatch(/more was free than was asked for, so these figures do not explain it/);
    expect(open).not.toMatch(/in pieces|a limit/);
  });

  it('that are said twice are one mark', () => {
    const marker = new LineMarker();
    const first = marker.feed("terminate called after throwing an instance of 'std::bad_alloc'");
    expect([...first, ...marker.feed('  what():  std::bad_alloc')]).toHaveLength(1);
  });
});
