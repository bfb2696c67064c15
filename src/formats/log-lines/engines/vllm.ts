import { after, type EngineLines, gib, pattern, type Told, told, whole } from './engine.ts';

/** How the lines about actual usage begin, of several versions. */
const ON_STARTUP = String.raw`Free memory on device \(NUMBER/NUMBER GiB\) on startup\. Desired GPU memory utilization is \(NUMBER, NUMBER GiB\)\. `;

const ofCard = (m: RegExpExecArray): Told[] => [
  told('free', gib(m[1])),
  told('total', gib(m[2])),
  told('utilization', Number(m[3])),
  told('limit', gib(m[4])),
];

const actualUsage = (m: RegExpExecArray): Told[] => [
  told('weights', gib(m[5])),
  told('activations', gib(m[6])),
  told('outside', gib(m[7])),
  told('graphs-taken', gib(m[8])),
];

/** Its GB of old are GiB too: it divides by 2³⁰. */
export const vllm: EngineLines = {
  id: 'vllm',
  title: 'vLLM',
  versions: '0.4.2 to 0.27',
  hint: /GiB|GB|blocks:|KV cache|LLM engine|vLLM|Uvicorn running|args:|graph memory profiling|to wake up|Maximum concurrency/,
  version:
    /(?:Initializing an? (?:V\d )?LLM engine \(v|vLLM API server version )(\d{1,3}\.\d{1,3}[\w.+-]{0,40})/,
  begins: /Initializing an? (?:V\d )?LLM engine \(v/,
  speaker:
    /\(((?:Vllm|Ray)?Worker\w{0,40}|EngineCore\w{0,20}|APIServer\w{0,20})(?: rank=\d{1,5})?(?: ip=\S{1,40})? pid=(\d{1,10})[^)]{0,60}\)/,
  wordings: [
    {
      name: 'Loading model weights took',
      versions: '0.4.2 to 0.8.2',
      when: pattern('Loading model weights took NUMBER G(?:i)?B'),
      // A draft model is told of in a line of its own.
      read: (m) => [{ ...told('weights', gib(m[1])), adds: true }],
    },
    {
      name: 'Model loading took',
      versions: '0.8.0 to 0.27',
      when: pattern('Model loading took NUMBER G(?:i)?B (?:memory )?and '),
      read: (m) => [told('weights', gib(m[1]))],
    },
    {
      name: '# GPU blocks',
      versions: '0.4.2 to 0.11.0',
      when: /# (?!CPU)\w{2,10} blocks: (\d{1,12})(?!\d)/,
      read: (m) => [told('kv-blocks', whole(m[1]))],
    },
    {
      name: 'Memory profiling results',
      versions: '0.6.4',
      when: pattern(
        `Memory profiling results: total_gpu_memory=NUMBERGiB initial_memory_usage=NUMBERGiB peak_torch_memory=NUMBERGiB memory_usage_post_profile=NUMBERGib non_torch_memory=NUMBERGiB kv_cache_size=NUMBERGiB gpu_memory_utilization=NUMBER`,
      ),
      read: (m) => [
        told('total', gib(m[1])),
        told('torch-peak', gib(m[3])),
        told('outside', gib(m[5])),
        told('kv', gib(m[6])),
        told('utilization', Number(m[7])),
        told('limit', Math.round(gib(m[1]) * Number(m[7]))),
      ],
    },
    {
      name: 'the current vLLM instance can use',
      versions: '0.6.5 to 0.10.2',
      when: pattern(
        String.raw`the current vLLM instance can use total_gpu_memory \(NUMBERGiB\) x gpu_memory_utilization \(NUMBER\) = NUMBERGiB`,
      ),
      read: (m) => [
        told('total', gib(m[1])),
        told('utilization', Number(m[2])),
        told('limit', gib(m[3])),
      ],
    },
    {
      name: 'model weights take',
      versions: '0.6.5 to 0.10.2',
      when: pattern(
        'model weights take NUMBERGiB; non_torch_memory takes NUMBERGiB; PyTorch activation peak memory takes NUMBERGiB; the rest of the memory reserved for KV Cache is NUMBERGiB',
      ),
      read: (m) => [
        told('weights', gib(m[1])),
        told('outside', gib(m[2])),
        told('activations', gib(m[3])),
        told('kv', gib(m[4])),
      ],
    },
    {
      name: 'Memory profiling takes (at debug level)',
      versions: '0.9.1 to 0.26',
      when: pattern(
        'Total non KV cache memory: NUMBERGiB; torch peak memory increase: NUMBERGiB; non-torch forward increase memory: NUMBERGiB; weights memory: NUMBERGiB',
      ),
      read: (m) => [
        told('activations', gib(m[2])),
        told('outside', gib(m[3])),
        told('weights', gib(m[4])),
      ],
    },
    {
      name: 'Initial free memory (at debug level)',
      versions: '0.9.1 to 0.27',
      when: pattern(
        String.raw`Initial free memory: NUMBER GiB; Requested memory: NUMBER \(util\), NUMBER GiB`,
      ),
      read: (m) => [
        told('free', gib(m[1])),
        told('utilization', Number(m[2])),
        told('limit', gib(m[3])),
      ],
    },
    {
      name: 'Available KV cache memory',
      versions: '0.9.1 to 0.27',
      when: pattern('Available KV cache memory: NUMBER GiB'),
      read: (m) => [told('kv', gib(m[1]))],
    },
    {
      name: 'memory reserved by kv_cache_memory_bytes',
      versions: '0.10.2 to 0.27',
      when: pattern('Initial free memory NUMBER GiB, reserved NUMBER ?GiB memory for KV Cache as'),
      read: (m) => [told('free', gib(m[1])), told('kv', gib(m[2]))],
    },
    {
      name: 'GPU KV cache size',
      versions: '0.8.0 to 0.27',
      when: pattern('GPU KV cache size: COUNT tokens'),
      read: (m) => [told('kv-tokens', whole(m[1]))],
    },
    {
      name: 'Maximum concurrency',
      versions: '0.6.3 to 0.27',
      when: pattern('Maximum concurrency for COUNT tokens per request: NUMBERx'),
      read: (m) => [told('context', whole(m[1])), told('concurrency', Number(m[2]))],
    },
    {
      name: 'Estimated CUDA graph memory',
      versions: '0.18.0 to 0.27',
      when: pattern('Estimated CUDA graph memory: NUMBER GiB total'),
      read: (m) => [told('graphs', gib(m[1]))],
    },
    {
      name: 'CUDA graph memory profiling',
      versions: '0.18.0 to 0.27',
      when: /CUDA graph memory profiling is (enabled|disabled) /,
      read: (m) => [told('graphs-counted', m[1] === 'enabled' ? 1 : 0)],
    },
    {
      name: 'CUDA graph pool memory',
      versions: '0.18.0 to 0.27',
      when: pattern(
        String.raw`CUDA graph pool memory: NUMBER GiB \(actual\), NUMBER GiB \(estimated\)`,
      ),
      read: (m) => [told('graphs-taken', gib(m[1])), told('graphs', gib(m[2]))],
    },
    {
      name: 'Graph capturing finished',
      versions: '0.6.4 to 0.27',
      when: pattern('Graph capturing finished in NUMBER secs, took NUMBER GiB'),
      read: (m) => [told('graphs-taken', gib(m[2]))],
    },
    {
      name: 'Actual usage',
      versions: '0.10.2 to 0.26',
      when: pattern(
        ON_STARTUP +
          String.raw`Actual usage is NUMBER GiB for weight, NUMBER GiB for peak activation, NUMBER GiB for non-torch memory, and NUMBER GiB for CUDAGraph memory\.`,
      ),
      read: (m) => [...ofCard(m), ...actualUsage(m)],
    },
    {
      name: 'Actual usage, on an NPU',
      versions: 'vllm-ascend 0.18 on',
      when: pattern(
        ON_STARTUP +
          String.raw`Actual usage: NUMBER GiB for weights, NUMBER GiB for peak activation, NUMBER GiB for non-torch memory, NUMBER GiB for NPU graph memory\.(?:.{0,300}Current KV cache memory: NUMBER GiB\.)?`,
      ),
      read: (m) => [
        ...ofCard(m),
        ...actualUsage(m),
        ...(m[9] === undefined ? [] : [told('kv', gib(m[9]))]),
      ],
    },
    {
      name: 'Actual usage, weights and non-torch in one',
      versions: '0.27',
      when: pattern(
        ON_STARTUP +
          String.raw`Actual usage is NUMBER GiB for consumed memory \(weights \+ non-torch\), NUMBER GiB for peak activation, and NUMBER GiB for CUDAGraph memory\.`,
      ),
      read: (m) => [
        ...ofCard(m),
        told('weights-outside', gib(m[5])),
        told('activations-graphs', gib(m[6])),
        told('graphs-taken', gib(m[7])),
      ],
    },
    {
      name: 'Sleep mode freed',
      versions: '0.7.0 to 0.27',
      when: pattern('Sleep mode freed NUMBER GiB memory, NUMBER GiB memory is still in use'),
      read: (m) => [told('freed', gib(m[1])), told('asleep', gib(m[2]))],
    },
    {
      name: 'wake up',
      versions: '0.7.0 to 0.27',
      when: pattern('It took NUMBER seconds to wake up'),
      read: () => [told('woke', 1)],
    },
    {
      name: 'arguments',
      versions: '0.4.2 to 0.27',
      when: /\bargs: .{0,3000}?\bgpu_memory_utilization'?[=:] ?(0?\.\d{1,6}|1(?:\.0{1,4})?)\b/,
      read: (m) => [told('utilization', Number(m[1]))],
    },
  ],
  sample: {
    when: /\bRunning: (\d{1,9}) reqs?, .{0,200}GPU KV cache usage: (\d{1,3}(?:\.\d{1,4})?)%/,
    read: (line, m) => ({
      kvUsed: Number(m[2]) / 100,
      running: Number(m[1]),
      waiting: after(line, /\b(?:Waiting|Pending): (\d{1,9}) reqs?/),
      preemptions: after(line, /\bPreemptions: (\d{1,9})/),
    }),
  },
  alike:
    /\b(?:gpu_worker|worker|gpu_model_runner|model_runner|kv_cache_utils|executor_base|\w{0,20}gpu_executor|mem_utils)\.py:\d{1,6}\].{0,300}(?:\d ?G(?:i)?B\b|\bblocks: \d|\d tokens)/i,
  idle: /can take additional|Loading weights took|attention block size|Encoder cache will|mamba page|may waste at most|Memory profiling takes|out of memory|Chunked prefill|Profiling CUDA graph|KV cache is needed|less than desired/i,
  listens:
    /(?:Uvicorn running on|Starting vLLM API server(?: \d{1,4})? on) https?:\/\/[^\s:/]{1,80}:(\d{1,5})\b/,
};
