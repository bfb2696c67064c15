import { describe, expect, it } from 'vitest';
import { type EnginePlan, planOfText } from '../../src/analyses/plan/index.ts';
import { EngineTextReader } from '../../src/formats/log-lines/engines/reader.ts';

const GiB = 2 ** 30;
const MiB = 2 ** 20;

/** Lines as the sources of these versions print them; the numbers are made up. */
function read(lines: readonly string[]) {
  const reader = new EngineTextReader();
  for (const line of lines) reader.push(line);
  return reader.end();
}

function plans(lines: readonly string[]): readonly EnginePlan[] {
  const text = read(lines);
  return text ? planOfText(text).engines : [];
}

/** Parts by name and device, in units: planned, or taken after a slash. */
function parts({ parts }: EnginePlan, unit: number) {
  const round = (bytes: number) => Math.round((bytes / unit) * 100) / 100;
  return Object.fromEntries(
    parts.map(({ what, device, planned, taken }) => [
      device ? `${what} ${device}` : what,
      taken
        ? `${planned ? round(planned.bytes) : '-'}/${round(taken.bytes)}`
        : round(planned!.bytes),
    ]),
  );
}

describe("vLLM's plan, by version", () => {
  it('0.4.2 to 0.6.3: weights and blocks only, the rest is not known', () => {
    const [plan] = plans([
      'INFO 05-15 10:00:00 llm_engine.py:100] Initializing an LLM engine (v0.4.2) with config: model=…',
      'INFO 05-15 10:00:20 model_runner.py:175] Loading model weights took 12.5523 GB',
      'INFO 05-15 10:00:30 gpu_executor.py:114] # GPU blocks: 7449, # CPU blocks: 512',
      'INFO 05-15 10:00:50 model_runner.py:1017] Graph capturing finished in 20 secs.',
    ]);
    expect(plan).toMatchObject({
      engine: 'vllm',
      version: '0.4.2',
      kvBlocks: 7449,
      kvTokens: null,
    });
    expect(parts(plan!, GiB)).toEqual({ weights: 12.55 });
    expect(plan!.missing).toEqual(['kv', 'activations', 'outside']);
  });

  it('0.6.4: one line, with the activations in the peak of torch', () => {
    const [plan] = plans([
      'INFO 11-20 10:00:20 model_runner.py:1072] Loading model weights took 14.0000 GB',
      'INFO 11-20 10:00:30 worker.py:232] Memory profiling results: total_gpu_memory=79.00GiB initial_memory_usage=15.00GiB peak_torch_memory=15.20GiB memory_usage_post_profile=15.30Gib non_torch_memory=0.50GiB kv_cache_size=55.40GiB gpu_memory_utilization=0.90',
    ]);
    expect(parts(plan!, GiB)).toEqual({ weights: 14, kv: 55.4, activations: 1.2, outside: 0.5 });
    expect(plan!.cardBytes! / GiB).toBeCloseTo(plan!.limitBytes! / GiB, 6);
    expect(plan!.utilization).toBe(0.9);
  });

  it('0.6.5 to 0.10.2 (V0): parts that add up to what may be used, of each worker', () => {
    const own = (who: string, weights: string) => [
      `${who}INFO 04-12 08:21:19 [worker.py:267] Memory profiling takes 17.59 seconds`,
      `${who}INFO 04-12 08:21:19 [worker.py:267] the current vLLM instance can use total_gpu_memory (24.00GiB) x gpu_memory_utilization (0.95) = 22.80GiB`,
      `${who}INFO 04-12 08:21:19 [worker.py:267] model weights take ${weights}GiB; non_torch_memory takes 0.20GiB; PyTorch activation peak memory takes 0.40GiB; the rest of the memory reserved for KV Cache is 1.60GiB.`,
    ];
    const found = plans([
      'INFO 04-12 08:20:00 [api_server.py:1034] vLLM API server version 0.8.4.dev10+gabc',
      ...own('(VllmWorkerProcess pid=507) ', '20.50'),
      ...own('', '20.60'),
      'INFO 04-12 08:21:20 [executor_base.py:112] # cuda blocks: 900, # CPU blocks: 100',
      'INFO 04-12 08:21:40 [model_runner.py:1592] Graph capturing finished in 20 secs, took 0.30 GiB',
    ]);
    expect(found.map(({ worker, pid }) => [worker, pid])).toEqual([
      ['VllmWorkerProcess', 507],
      ['', null],
    ]);
    expect(found[1]).toMatchObject({
      version: '0.8.4.dev10+gabc',
      kvBlocks: 900,
      limitBytes: Math.round(22.8 * GiB),
    });
    expect(parts(found[1]!, GiB)).toEqual({
      weights: 20.6,
      kv: 1.6,
      activations: 0.4,
      graphs: '-/0.3',
      outside: 0.2,
    });
    expect(found[1]!.cardBytes! / GiB).toBeCloseTo(22.8, 6);
  });

  it('0.8 to 0.9.0 (V1): tokens, but no bytes of the pool', () => {
    const [plan] = plans([
      'INFO 04-24 16:32:00 [core.py:58] Initializing a V1 LLM engine (v0.8.5) with config: model=…',
      'INFO 04-24 16:33:00 [gpu_model_runner.py:1347] Model loading took 14.9889 GiB and 3.652170 seconds',
      'INFO 04-24 16:33:13 [kv_cache_utils.py:634] GPU KV cache size: 158,656 tokens',
      'INFO 04-24 16:33:13 [kv_cache_utils.py:637] Maximum concurrency for 32,768 tokens per request: 4.84x',
      'INFO 04-24 16:33:33 [gpu_model_runner.py:1686] Graph capturing finished in 20 secs, took 0.50 GiB',
    ]);
    expect(plan).toMatchObject({
      kvTokens: 158656,
      contextTokens: 32768,
      missing: ['kv', 'activations', 'outside'],
    });
    expect(parts(plan!, GiB)).toEqual({ weights: 14.99, graphs: '-/0.5' });
  });

  it('0.9.1 to 0.10.1 (V1): with debug lines the plan is whole', () => {
    const [plan] = plans([
      '(EngineCore_0 pid=77) INFO 08-01 10:00:00 [gpu_model_runner.py:1801] Model loading took 10.0000 GiB and 3.652170 seconds',
      '(EngineCore_0 pid=77) DEBUG 08-01 10:00:09 [gpu_worker.py:225] Initial free memory: 78.00 GiB; Requested memory: 0.90 (util), 71.10 GiB',
      '(EngineCore_0 pid=77) DEBUG 08-01 10:00:09 [gpu_worker.py:231] Memory profiling takes 5.00 seconds. Total non KV cache memory: 12.50GiB; torch peak memory increase: 2.20GiB; non-torch forward increase memory: 0.30GiB; weights memory: 10.00GiB.',
      '(EngineCore_0 pid=77) INFO 08-01 10:00:09 [gpu_worker.py:232] Available KV cache memory: 58.60 GiB',
    ]);
    expect(parts(plan!, GiB)).toEqual({ weights: 10, kv: 58.6, activations: 2.2, outside: 0.3 });
    expect(plan).toMatchObject({ pid: 77, missing: [], limitBytes: Math.round(71.1 * GiB) });
  });

  it('0.10.2 to 0.26 (V1): what was used, of two workers, with the pool of the engine', () => {
    const found = plans([
      '(APIServer pid=5) INFO 09-20 10:00:00 [api_server.py:1896] vLLM API server version 0.11.0',
      "(APIServer pid=5) INFO 09-20 10:00:00 [utils.py:233] non-default args: {'model': 'm', 'gpu_memory_utilization': 0.92}",
      '(EngineCore_DP0 pid=60) INFO 09-20 10:00:02 [core.py:77] Initializing a V1 LLM engine (v0.11.0) with config: model=…',
      ...['0 pid=71', '1 pid=72'].flatMap((who) => [
        `(Worker_TP${who}) INFO 09-20 10:00:30 [gpu_model_runner.py:2653] Model loading took 9.0000 GiB and 20.1 seconds`,
        `(Worker_TP${who}) INFO 09-20 10:00:40 [gpu_worker.py:298] Available KV cache memory: 60.00 GiB`,
        `(Worker_TP${who}) INFO 09-20 10:01:00 [gpu_worker.py:391] Free memory on device (78.50/79.00 GiB) on startup. Desired GPU memory utilization is (0.92, 72.68 GiB). Actual usage is 9.0 GiB for weight, 3.0 GiB for peak activation, 0.68 GiB for non-torch memory, and 0.9 GiB for CUDAGraph memory. Replace gpu_memory_utilization config with …`,
      ]),
      '(EngineCore_DP0 pid=60) INFO 09-20 10:00:41 [kv_cache_utils.py:1087] GPU KV cache size: 480,000 tokens',
      '(APIServer pid=5) INFO 09-20 10:05:00 [loggers.py:123] Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 5.3 tokens/s, Running: 3 reqs, Waiting: 1 reqs, GPU KV cache usage: 12.5%, Prefix cache hit rate: 0.0%',
      '(APIServer pid=5) INFO 09-20 10:05:10 [loggers.py:123] Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 5.3 tokens/s, Running: 1 reqs, Waiting: 0 reqs, Preemptions: 4, GPU KV cache usage: 3.4%, Prefix cache hit rate: 0.0%',
    ]);
    expect(found.map(({ worker, pid, kvTokens }) => [worker, pid, kvTokens])).toEqual([
      ['Worker_TP0', 71, 480000],
      ['Worker_TP1', 72, 480000],
    ]);
    for (const plan of found) {
      expect(parts(plan, GiB)).toEqual({
        weights: 9,
        kv: 60,
        activations: 3,
        graphs: '-/0.9',
        outside: 0.68,
      });
      expect(plan).toMatchObject({
        utilization: 0.92,
        totalBytes: 79 * GiB,
        version: expect.any(String),
      });
      expect(plan.pool).toMatchObject({
        highestShare: 0.125,
        mostRunning: 3,
        mostWaiting: 1,
        preemptions: 4,
        highestLine: 11,
      });
    }
  });

  it('0.18 on: graphs are expected, and counted only where it says so', () => {
    const lines = (counted: string) => [
      '(EngineCore pid=9) INFO 08-14 14:07:10 [gpu_model_runner.py:5406] Model loading took 8.0 GiB memory and 12.1 seconds',
      '(EngineCore pid=9) INFO 08-14 14:07:22 [gpu_model_runner.py:6806] Estimated CUDA graph memory: 0.36 GiB total',
      '(EngineCore pid=9) INFO 08-14 14:07:22 [gpu_worker.py:563] Available KV cache memory: 6.87 GiB',
      `(EngineCore pid=9) INFO 08-14 14:07:22 [gpu_worker.py:578] CUDA graph memory profiling is ${counted} (default since v0.21.0). The current --gpu-memory-utilization=0.8200 is …`,
      '(EngineCore pid=9) INFO 08-14 14:07:40 [gpu_worker.py:727] CUDA graph pool memory: -0.19 GiB (actual), 0.36 GiB (estimated), difference: 0.55 GiB (10.0%).',
    ];
    expect(parts(plans(lines('enabled'))[0]!, GiB)).toMatchObject({ graphs: '0.36/-0.19' });
    expect(parts(plans(lines('disabled'))[0]!, GiB)).toMatchObject({ graphs: '-/-0.19' });
  });

  it('0.27: weights and what is outside torch in one, activations with the graphs', () => {
    const [plan] = plans([
      'INFO 08-20 10:00:10 [gpu_model_runner.py:5509] Model loading took 8.0 GiB memory and 12.1 seconds',
      'INFO 08-20 10:00:22 [gpu_model_runner.py:6932] Estimated CUDA graph memory: 0.50 GiB total',
      'INFO 08-20 10:00:22 [gpu_worker.py:585] Available KV cache memory: 10.0 GiB',
      'INFO 08-20 10:00:22 [gpu_worker.py:599] CUDA graph memory profiling is enabled (default since v0.21.0). The current …',
      'INFO 08-20 10:00:40 [gpu_worker.py:815] Free memory on device (22.0/24.0 GiB) on startup. Desired GPU memory utilization is (0.9, 21.6 GiB). Actual usage is 8.6 GiB for consumed memory (weights + non-torch), 3.0 GiB for peak activation, and 0.45 GiB for CUDAGraph memory. Replace gpu_memory_utilization config with `--kv-cache-memory=1` (9 GiB) to fit into requested memory. Current kv cache memory in use is 10.0 GiB.',
    ]);
    expect(parts(plan!, GiB)).toEqual({
      weights: 8,
      kv: 10,
      activations: 2.5,
      graphs: '0.5/0.45',
      outside: 0.6,
    });
    expect(plan!.cardBytes! / GiB).toBeCloseTo(21.6, 6);
  });

  it('passes a wording over that it does not know, and says which line it is', () => {
    const text = read([
      'INFO 12-13 19:54:18 model_runner.py:1] Loading model weights took 14.9600 GB',
      'INFO 12-13 19:54:18 worker.py:243] model weights take   14.96GiB',
      'INFO 12-13 19:54:18 worker.py:243] available_kv_cache_memory    53.29GiB',
      'INFO 12-13 19:54:18 model_runner.py:300] CUDA graphs can take additional 1~3 GiB memory per GPU.',
    ])!;
    expect(text.figures.map(({ what }) => what)).toEqual(['weights']);
    expect(text.notes).toEqual([
      expect.stringMatching(/^vLLM: lines 2, 3 may plan memory in words that are not known/),
    ]);
  });

  it('takes a model that is loaded again for another plan', () => {
    const once = (size: string) => [
      'INFO [core.py:58] Initializing a V1 LLM engine (v0.9.2) with config: model=…',
      `INFO [gpu_model_runner.py:1801] Model loading took ${size} GiB and 3.6 seconds`,
      'INFO [gpu_worker.py:232] Available KV cache memory: 5.00 GiB',
    ];
    const found = plans([...once('1.0'), ...once('2.0')]);
    expect(found.map(({ load, cardBytes }) => [load, cardBytes! / GiB])).toEqual([
      [1, 6],
      [2, 7],
    ]);
  });
});

describe("llama.cpp's plan, by build", () => {
  it('2023: VRAM in one sum', () => {
    const [plan] = plans([
      'llm_load_tensors: mem required  =  102.54 MB',
      'llm_load_tensors: VRAM used: 4474.93 MB',
      'llama_new_context_with_model: n_ctx      = 4096',
      'llama_new_context_with_model: kv self size  = 2048.00 MB',
      'llama_new_context_with_model: compute buffer total size = 281.88 MB',
    ]);
    expect(parts(plan!, MiB)).toEqual({ 'weights GPU': 4474.93, 'kv not told where': 2048 });
    expect(plan!.contextTokens).toBe(4096);
  });

  it('2024: buffers by device, which add up', () => {
    const [plan] = plans([
      'llama_model_loader: loaded meta data with 24 key-value pairs and 291 tensors from /m.gguf (version GGUF V3 (latest))',
      'llm_load_tensors: offloaded 33/33 layers to GPU',
      'llm_load_tensors:        CPU buffer size =    70.31 MiB',
      'llm_load_tensors:      CUDA0 buffer size =  2000.00 MiB',
      'llm_load_tensors:      CUDA0 buffer size =  1847.55 MiB',
      'llama_new_context_with_model: n_ctx      = 2048',
      'llama_kv_cache_init:      CUDA0 KV buffer size =  1024.00 MiB',
      'llama_new_context_with_model: KV self size  = 1024.00 MiB, K (f16):  512.00 MiB, V (f16):  512.00 MiB',
      'llama_new_context_with_model:  CUDA_Host  output buffer size =     0.12 MiB',
      'llama_new_context_with_model:      CUDA0 compute buffer size =   164.00 MiB',
      'llama_new_context_with_model:  CUDA_Host compute buffer size =    12.01 MiB',
    ]);
    expect(parts(plan!, MiB)).toEqual({
      'weights CPU': 70.31,
      'weights CUDA0': 3847.55,
      'kv CUDA0': 1024,
      'compute CUDA0': 164,
      'output CUDA_Host': 0.12,
      'compute CUDA_Host': 12.01,
    });
    expect(plan!.cardBytes! / MiB).toBeCloseTo(5035.55, 2);
    expect(plan!.hostBytes! / MiB).toBeCloseTo(82.44, 2);
  });

  it('2025 and 2026: two pools of one model, a table at the end; trials say nothing', () => {
    const lines = [
      '0.00.100.000 I build: 7501 (0123abcd) with cc',
      'llama_params_fit_impl: projected to use 9814 MiB of device memory vs. 8720 MiB of free device memory',
      'load_tensors:        CUDA0 model buffer size =  9814.00 MiB',
      'llama_memory_breakdown_print: |   - CUDA0 (GTX 1080 Ti) | 11165 = 8702 + (10001 =  9814 +     134 +      51) + 17592186036877 |',
      'llama_params_fit: fitting params to free memory took 1.96 seconds',
      'llama_model_load_from_file_impl: using device CUDA0 (NVIDIA GeForce RTX 3090) (0000:03:00.0) - 23860 MiB free',
      'llama_model_loader: loaded meta data with 44 key-value pairs and 579 tensors from m.gguf',
      'load_tensors:   CPU_Mapped model buffer size =   520.30 MiB',
      'load_tensors:        CUDA0 model buffer size =  8000.00 MiB',
      'llama_context: n_ctx                 = 65536',
      'llama_kv_cache_iswa: creating non-SWA KV cache, size = 65536 cells',
      'llama_kv_cache:      CUDA0 KV buffer size =   400.00 MiB',
      'llama_kv_cache: size =  400.00 MiB ( 65536 cells,   8 layers,  1/1 seqs), K (f16):  200.00 MiB, V (f16):  200.00 MiB',
      'llama_kv_cache_iswa: creating     SWA KV cache, size = 4352 cells',
      '\x1b[34m1.14.623.585\x1b[0m I llama_kv_cache:      CUDA0 KV buffer size =   182.75 MiB'.replace(
        /\x1b\[\d+m/g,
        '',
      ),
      'llama_kv_cache: size =  182.75 MiB (  4352 cells,  43 layers,  1/1 seqs), K (f16):   91.00 MiB, V (f16):   91.75 MiB',
      'llama_memory_recurrent:      CUDA0 RS buffer size =    16.00 MiB',
      'sched_reserve:      CUDA0 compute buffer size =   600.00 MiB',
      'sched_reserve:      CUDA0 compute buffer size =   640.00 MiB',
      'main: server is listening on http://127.0.0.1:8080 - starting the main loop',
      'common_memory_breakdown_print: | memory breakdown [MiB] | total    free     self   model   context   compute    unaccounted |',
      'common_memory_breakdown_print: |   - CUDA0 (RTX 3090)   | 24124 = 14435 + ( 9238 =  8000 +     598 +     640) +         451 |',
      'common_memory_breakdown_print: |   - Host               |                    682 =   682 +       0 +       0                |',
    ];
    const [plan, ...others] = plans(lines);
    expect(others).toEqual([]);
    expect(parts(plan!, MiB)).toEqual({
      'weights CPU_Mapped': 520.3,
      'weights CUDA0': '8000/8000',
      'kv CUDA0': '582.75/598',
      'state CUDA0': 16,
      'compute CUDA0': '640/640',
      'other CUDA0': '-/451',
    });
    expect(plan).toMatchObject({
      version: '7501',
      kvTokens: 65536,
      contextTokens: 65536,
      freeAtStartBytes: 23860 * MiB,
    });
  });
});

describe('Ollama, SGLang and the example engine', () => {
  it("reads Ollama's own estimate, old and new", () => {
    const [old] = plans([
      'time=2025-04-03T10:00:00.000Z level=INFO source=server.go:138 msg=offload library=cuda layers.requested=-1 layers.model=33 layers.offload=33 layers.split="" memory.available="[23.3 GiB]" memory.gpu_overhead="0 B" memory.required.full="6.2 GiB" memory.required.partial="6.2 GiB" memory.required.kv="1.0 GiB" memory.required.allocations="[6.2 GiB]" memory.weights.total="4.7 GiB" memory.weights.repeating="4.3 GiB" memory.weights.nonrepeating="411.0 MiB" memory.graph.full="560.0 MiB" memory.graph.partial="677.5 MiB"',
    ]);
    expect(parts(old!, MiB)).toEqual({ weights: 4812.8, kv: 1024, compute: 560 });
    const [young] = plans([
      'time=2025-11-03T10:00:00.000Z level=INFO source=device.go:240 msg="model weights" device=CUDA0 size="4.5 GiB"',
      'time=2025-11-03T10:00:00.000Z level=INFO source=device.go:245 msg="model weights" device=CPU size="315.0 MiB"',
      'time=2025-11-03T10:00:00.000Z level=INFO source=device.go:251 msg="kv cache" device=CUDA0 size="512.0 MiB"',
      'time=2025-11-03T10:00:00.000Z level=INFO source=device.go:262 msg="compute graph" device=CUDA0 size="256.5 MiB"',
      'time=2025-11-03T10:00:00.000Z level=INFO source=device.go:272 msg="total memory" size="5.6 GiB"',
    ]);
    expect(parts(young!, MiB)).toEqual({
      'weights CUDA0': 4608,
      'weights CPU': 315,
      'kv CUDA0': 512,
      'compute CUDA0': 256.5,
    });
  });

  it("reads SGLang's, of each rank", () => {
    const found = plans([
      '[2025-10-16 09:05:00 TP0] Load weight begin. avail mem=138.00 GB',
      '[2025-10-16 09:05:30 TP0] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=118.00 GB, mem usage=20.00 GB.',
      '[2025-10-16 09:06:22 TP0] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 2795207, K size: 53.31 GB, V size: 53.31 GB',
      '[2025-10-16 09:06:22 TP0] Memory pool end. avail mem=11.87 GB',
      '[2025-10-16 09:06:50 TP0] Capture cuda graph end. Time elapsed: 20.1 s. mem usage=1.50 GB. avail mem=10.37 GB.',
      '[2025-10-16 09:07:00 TP0] max_total_num_tokens=2795207, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048, context_len=131072, available_gpu_mem=10.37 GB',
      '[2025-10-16 09:08:00 TP0] Decode batch. #running-req: 4, #token: 1000, token usage: 0.37, cuda graph: True, gen throughput (token/s): 100.0, #queue-req: 2, ',
    ]);
    expect(found).toMatchObject([
      { engine: 'sglang', worker: 'TP0', kvTokens: 2795207, contextTokens: 131072 },
    ]);
    expect(parts(found[0]!, GiB)).toEqual({ weights: 20, kv: 106.62, graphs: '-/1.5' });
    expect(found[0]!.pool).toMatchObject({
      highestShare: 0.37,
      mostRunning: 4,
      mostWaiting: 2,
      preemptions: null,
    });
  });

  it('reads those of examples/engine, to the byte', () => {
    const [plan] = plans([
      'INFO 12:00:00 [engine] plan: weights 104857600 bytes (100.00 MiB)',
      'INFO 12:00:00 [engine] plan: kv_pool 67108864 bytes (64.00 MiB)',
      'INFO 12:00:00 [engine] plan: activations 1000 bytes (1000 B)',
      'INFO 12:00:00 [engine] plan: graphs 0 bytes (0 B)',
      'INFO 12:00:00 [engine] plan: other 3000 bytes (2.93 KiB)',
      'INFO 12:00:00 [engine] plan: total 171970464 bytes (164.00 MiB)',
      'INFO 12:00:01 [engine] stats: running 3, waiting 5, KV pool 37.5 % used, 120.1 tokens/s',
    ]);
    expect(plan).toMatchObject({ engine: 'example-engine', cardBytes: 171970464, missing: [] });
    expect(plan!.pool).toMatchObject({ highestShare: 0.375, mostRunning: 3, mostWaiting: 5 });
  });
});

describe('lines that are no plan', () => {
  it('are nothing: trainings, web servers, sizes of other programs', () => {
    expect(
      read([
        'INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)',
        'epoch 1 step 10 loss 0.31, 3.2 GiB',
        'model weights take a while to load',
        'Downloading shards: 100%|██████████| 2/2 [00:01<00:00, 4.97 GB/s]',
      ]),
    ).toBeNull();
  });

  it('are read in no time, cut or hostile', () => {
    const long = [
      `Free memory on device (${'9'.repeat(4000)}`,
      `${'load_tensors: '.repeat(300)}CUDA0 model buffer size = `,
      `INFO args: ${'gpu_memory_utilization'.repeat(180)}`,
      `| - ${'A'.repeat(2000)} | ${'1 = '.repeat(400)}|`,
      `#running-req: 1, ${'token usage: '.repeat(200)}`,
      `msg=offload ${'memory.required.kv='.repeat(200)}`,
      'Available KV cache memory: 99999999999999999999.99 GiB',
      'Model loading took nan GiB and 1 seconds',
      'Model loading took 1e309 GiB and 1 seconds',
      '# GPU blocks: 99999999999999999999',
    ];
    const before = process.cpuUsage().user;
    for (let i = 0; i < 50; i++) expect(read(long)?.figures ?? []).toEqual([]);
    expect(process.cpuUsage().user - before).toBeLessThan(5e6);
    const line =
      'model weights take 7.51GiB; non_torch_memory takes 0.39GiB; PyTorch activation peak memory takes 2.53GiB; the rest of the memory reserved for KV Cache is 3.76GiB.';
    for (let cut = 0; cut < line.length - 1; cut++)
      expect(read([line.slice(0, cut)])?.figures ?? []).toEqual([]);
  });
});
