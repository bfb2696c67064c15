import { GiB } from '../../../base/bytes.ts';
import type { OomFigures } from '../../../model/out-of-memory.ts';
import { integer, type Message, size, sizes } from './message.ts';

/** PyTorch's own allocators, and the libraries below it that ask the card themselves. */
export const TORCH: readonly Message[] = [
  {
    source: 'torch',
    place: 'gpu',
    when: /\b(?:CUDA|HIP|XPU|MPS backend) out of memory\b.{0,200}Tried to al|\b(?:CUDA|HIP|XPU) out of memory\. (?:Tried\b|\(GPU)/,
    read: allocator,
    more: 12,
  },
  {
    // Of cudaMallocAsync, one figure a line.
    source: 'torch',
    place: 'gpu',
    when: /Allocation on device(?: \d{1,4})? would exceed allowed memory/,
    read: (text) => ({
      gpu: integer(text, /on device (\d{1,4})/),
      asked: size(text, /Requested {1,20}: SIZE/),
      total: size(text, /Device limit {1,20}: SIZE/),
      free: size(text, /Free \(according to CUDA\): SIZE/),
      allocated: size(text, /Currently allocated {1,20}: SIZE/),
    }),
    more: 8,
  },
  {
    source: 'torch',
    place: 'gpu',
    when: /\b(?:CUDA|HIP) out of memory occurred when|\b(?:CUDA|HIP) (?:driver )?error: out of memory|(?:Error|error): (?:CUDA|HIP) out of memory|Error: out of memory$|OutOfMemoryError: Allocation on device|THCudaCheck FAIL .{1,120}: out of memory/,
  },
  {
    // Of a failed request torch asks the driver who else is on the card, and fails in that where the driver does not
    // answer, as on a slice of a card (MIG) in a container: this is all that it says of memory that ran out.
    source: 'torch',
    place: 'gpu',
    when: /\bNVML_SUCCESS == .{1,120} INTERNAL ASSERT FAILED at .{0,200}CUDACachingAllocator/,
  },
  {
    source: 'torch',
    place: 'gpu',
    when: /\b(?:CUBLAS|CUDNN|CUSOLVER|CUSPARSE|CUFFT|HIPBLAS|ROCBLAS)_STATUS_(?:ALLOC_FAILED|MEMORY_ERROR)\b/,
  },
  {
    source: 'nccl',
    place: 'gpu',
    when: /(?:Cuda|CUDA|Hip|HIP) failure (?:\d{1,4} )?'out of memory'|NCCL WARN Cuda failure.{0,20}out of memory/,
    read: (text) => ({
      asked: size(text, /Failed to (?:CUDA|Cuda) \w{1,20} SIZE/),
      gpu: integer(text, /^\S{1,80}:\d{1,10}:\d{1,10} \[(\d{1,4})\]/),
      pid: integer(text, /^\S{1,80}:(\d{1,10}):\d{1,10} \[/),
    }),
    more: 3,
  },
  {
    source: 'nccl',
    place: 'shm',
    when: /NCCL WARN .{0,60}(?:failed to extend|creating shared memory segment) \/dev\/shm\/nccl-/,
    read: (text) => ({
      asked: size(text, / to SIZE/) ?? integer(text, /\(size (\d{1,20})\)/),
      pid: integer(text, /^\S{1,80}:(\d{1,10}):\d{1,10} \[/),
    }),
  },
  {
    source: 'torch',
    place: 'host',
    when: /DefaultCPUAllocator: (?:can't allocate|not enough) memory/,
    read: (text) => ({ asked: size(text, /tried to allocate SIZE/) }),
  },
];

function allocator(text: string): Partial<OomFigures> {
  const reserved = size(text, /SIZE reserved in total/);
  const allocated = size(text, /SIZE (?:already allocated|is allocated by PyTorch)/);
  const unused =
    size(text, /SIZE is reserved by PyTorch but unallocated/) ??
    // Until 1.3 this was what is kept beside what is allocated.
    size(text, /SIZE cached/) ??
    (reserved !== undefined && allocated !== undefined && reserved >= allocated
      ? reserved - allocated
      : undefined);
  const limit = size(text, /SIZE allowed\b/) ?? size(text, /max allowed: SIZE/);
  const watermark = /max allowed/.test(text);
  return {
    // A size beyond all reason is a length that was broken, or a loop.
    asked: /more than 1EB/.test(text) ? 2 ** 60 : size(text, /Tried to allocate SIZE/),
    gpu: integer(text, /\bGPU (\d{1,4})\b/),
    total: size(text, /total capac(?:i)?ty of SIZE/) ?? size(text, /SIZE total capacity/),
    free: size(text, /of which SIZE is free/) ?? size(text, /; SIZE free/),
    ...users(text, (allocated ?? 0) + (unused ?? 0)),
    allocated: allocated ?? size(text, /MPS allocated: SIZE/),
    reservedUnused: unused,
    graphPools: size(text, /SIZE allocated in private pools/),
    limit,
    limitOf:
      limit === undefined
        ? undefined
        : watermark
          ? "MPS's high watermark"
          : 'a fraction set in torch',
  };
}

/** What a process has besides torch's allocator, its context and libraries, is less. */
const MOST_OUTSIDE = 3 * GiB;

/**
 * `Process 7 has … in use` is said of everybody on the card. Inside a container nobody knows the own number:
 * then this process is the one that holds just more than its own allocator does. Where two do, it is either.
 */
function users(text: string, reserved: number): Partial<OomFigures> {
  const own = size(text, /this process has SIZE memory in use/);
  const listed = sizes(text, /Process \d{1,10} has SIZE memory in use/).sort((a, b) => a - b);
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
  if (own !== undefined)
    return { process: own, others: listed.length > 0 ? sum(listed) : undefined };
  const at = listed.findIndex((bytes) => bytes >= reserved);
  if (at < 0 || listed[at + 1]! <= reserved + MOST_OUTSIDE) return {};
  const others = listed.filter((_, i) => i !== at);
  const pid = listed.length === 1 ? integer(text, /Process (\d{1,10}) has/) : undefined;
  return { process: listed[at], others: others.length > 0 ? sum(others) : undefined, pid };
}
