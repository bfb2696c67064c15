import { integer, inUnits, type Message, size } from './message.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Engines that serve models: they plan what they take, and say when the plan does not fit. */
export const SERVING: readonly Message[] = [
  {
    source: 'vllm',
    place: 'gpu',
    when: /Free memory on device .{0,60}on startup is less than desired GPU memory utilization/,
    read: (text) => {
      const total = inUnits(text, /\([\d.]+\/([\d.]+) ?GiB\)/, GIB);
      const free = inUnits(text, /\(([\d.]+)\/[\d.]+ ?GiB\)/, GIB);
      const asked = inUnits(text, /utilization \([\d.]+, ([\d.]+) ?GiB\)/, GIB);
      // Nothing of its own is on the card yet.
      return { asked, total, free, process: 0, gpu: integer(text, /device (?:cuda:)?(\d{1,4}) /) };
    },
  },
  {
    source: 'vllm',
    place: 'gpu',
    when: /KV cache is needed, which is larger than the available KV cache memory/,
    read: (text) => ({
      asked: inUnits(text, /\(?([\d.]+) ?GiB KV cache is needed/, GIB),
      limit: inUnits(text, /available KV cache memory \(([\d.]+) ?GiB\)/, GIB),
      limitOf: '--gpu-memory-utilization',
    }),
  },
  {
    source: 'vllm',
    place: 'gpu',
    when: /No available memory for the cache blocks|is larger than the maximum number of tokens that can be stored in KV cache/,
    read: () => ({ limitOf: '--gpu-memory-utilization' }),
  },
  {
    source: 'sglang',
    place: 'gpu',
    when: /Not enough memory\. Please try (?:to increase|increasing) --mem-fraction-static/,
    read: () => ({ limitOf: '--mem-fraction-static' }),
  },
  {
    source: 'flashinfer',
    place: 'gpu',
    when: /Failed to allocate memory for \w{1,60} with size \d{1,20} and alignment \d{1,6} in AlignedAllocator/,
    read: (text) => ({
      asked: integer(text, /with size (\d{1,20})/),
      limitOf: 'a workspace of a fixed size',
    }),
  },
  {
    source: 'llama.cpp',
    place: 'gpu',
    when: /allocating [\d.]{1,20} MiB on device \d{1,4}: cudaMalloc failed|ggml_\w{1,60}: failed to allocate \w{1,20} buffer of size \d|Device memory allocation of size \d{1,20} failed/,
    read: (text) => ({
      asked:
        inUnits(text, /allocating ([\d.]{1,20}) MiB on device/, MIB) ??
        integer(text, /(?:buffer|allocation) of size (\d{1,20})/),
      gpu: integer(text, /on device (\d{1,4})/) ?? integer(text, /\bCUDA(\d{1,4}) buffer/),
      ...(/failed to allocate CPU buffer/.test(text) ? { place: 'host' as const } : {}),
    }),
  },
  {
    source: 'ollama',
    place: 'host',
    when: /model requires more system memory \(/,
    read: (text) => ({
      asked: size(text, /system memory \(SIZE\)/),
      free: size(text, /is available \(SIZE\)/),
    }),
  },
  {
    source: 'onnxruntime',
    place: 'gpu',
    when: /Failed to allocate memory for requested buffer of size \d|bfc_arena.{0,200}Available memory of \d{1,20} is smaller than requested bytes of/,
    read: (text) => ({
      asked:
        integer(text, /requested buffer of size (\d{1,20})/) ??
        integer(text, /requested bytes of (\d{1,20})/),
    }),
  },
  {
    source: 'tensorrt',
    place: 'gpu',
    when: /Error Code 2: OutOfMemory|Cuda Error in \w{1,40}: 2 \(out of memory\)|Error Code 1: Cuda Runtime \(out of memory\)|Requested amount of GPU memory \(\d{1,20} bytes\) could not be allocated/,
    read: (text) => ({ asked: size(text, /GPU memory \(SIZE\)/) }),
  },
  {
    source: 'cupy',
    place: 'gpu',
    when: /Out of memory allocating [\d,]{1,30} bytes \(allocated so far: |cupy\.\S{0,60}OutOfMemoryError: out of memory to allocate/,
    read: (text) => {
      const plain = text.replace(/(\d),(?=\d{3})/g, '$1');
      const limit = size(plain, /limit set to: SIZE/);
      return {
        asked: size(plain, /allocat(?:ing|e) SIZE/),
        allocated: size(plain, /allocated so far: SIZE/),
        limit,
        limitOf: limit === undefined ? undefined : "a limit set in CuPy's pool",
      };
    },
  },
  {
    source: 'rmm',
    place: 'gpu',
    when: /std::bad_alloc: .{0,20}(?:out_of_memory: |CUDA error at: .{1,160}cudaErrorMemoryAllocation)|rmm::(?:bad_alloc|out_of_memory)/,
    read: (text) => ({
      asked: size(text, /allocate SIZE/),
      limitOf: /Maximum pool size exceeded/.test(text) ? "RMM's pool" : undefined,
    }),
  },
];
