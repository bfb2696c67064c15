import { describe, expect, it } from 'vitest';
import { planOfText } from '../../src/analyses/plan/index.ts';
import { EngineTextReader } from '../../src/formats/log-lines/engines/reader.ts';
import { planSentence } from '../../src/views/plan/passages.ts';

/** Lines as people posted them in public, mostly in issues that are named beside them. */
function read(lines: readonly string[]) {
  const reader = new EngineTextReader();
  for (const line of lines) reader.push(line);
  const text = reader.end();
  return text ? planOfText(text) : { engines: [], notes: [] };
}

const GiB = 2 ** 30;
const rounded = (bytes: number | null) =>
  bytes === null ? null : Math.round((bytes / GiB) * 100) / 100;

function planned(lines: readonly string[]) {
  return read(lines).engines.map(({ worker, cardBytes, hostBytes, parts }) => ({
    worker,
    card: rounded(cardBytes),
    host: rounded(hostBytes),
    parts: Object.fromEntries(
      parts.map(({ what, planned, taken }) => [what, rounded((planned ?? taken)!.bytes)]),
    ),
  }));
}

describe('logs that people posted', () => {
  it('vLLM 0.8 of four ranks, through docker compose (vllm-project/vllm#17327)', () => {
    const found = planned(
      [0, 2].map(
        (rank) =>
          `qwen3-1  | (VllmWorker rank=${rank} pid=${105 + rank}) INFO 04-29 01:07:41 [gpu_model_runner.py:1347] Model loading took 14.2474 GiB and 558.868858 seconds`,
      ),
    );
    expect(found.map(({ parts }) => parts)).toEqual([{ weights: 14.25 }, { weights: 14.25 }]);
  });

  it('vLLM 0.7, a model loaded for several engines in one process (vllm-project/vllm#11743)', () => {
    const [plan] = planned([
      ...[28, 55, 57, 59].map(
        (second) =>
          `INFO 02-14 02:37:${second} model_runner.py:1123] Loading model weights took 9.6884 GB`,
      ),
      'INFO 02-14 02:38:02 worker.py:267] the current vLLM instance can use total_gpu_memory (79.33GiB) x gpu_memory_utilization (0.90) = 71.39GiB',
      'INFO 02-14 02:38:02 worker.py:267] model weights take 9.69GiB; non_torch_memory takes 1.27GiB; PyTorch activation peak memory takes 2.95GiB; the rest of the memory reserved for KV Cache is 57.48GiB.',
    ]);
    expect(plan).toMatchObject({ card: 71.39 });
    expect(plan!.parts).toEqual({ weights: 9.69, outside: 1.27, activations: 2.95, kv: 57.48 });
  });

  it('vllm-ascend: the whole plan in one line (July 2026)', () => {
    const [plan] = planned([
      '(Worker_DP1_TP7_EP15 pid=2653) INFO 07-08 11:54:00 [worker.py:852] Free memory on device (60.6/60.96 GiB) on startup. Desired GPU memory utilization is (0.95, 57.91 GiB). Actual usage: 39.51 GiB for weights, 1.52 GiB for peak activation, 3.15 GiB for non-torch memory, 0.0 GiB for NPU graph memory. Replace gpu_memory_utilization with `--kv-cache-memory=14584478208` (13.58 GiB) to fit into requested memory, or `--kv-cache-memory=17476561408` (16.28 GiB) to fully utilize NPU free memory. Current KV cache memory: 13.73 GiB.',
    ]);
    expect(plan).toMatchObject({ worker: 'Worker_DP1_TP7_EP15', card: 57.91 });
    expect(plan!.parts).toMatchObject({ kv: 13.73, weights: 39.51 });
  });

  it('a pool that was full is said to have been, and not to be seen above all of it', () => {
    const sentence = (usage: string) =>
      planSentence(
        read([
          'INFO 02-14 02:38:02 worker.py:267] model weights take 9.69GiB; non_torch_memory takes 1.27GiB; PyTorch activation peak memory takes 2.95GiB; the rest of the memory reserved for KV Cache is 57.48GiB.',
          `INFO 02-14 02:39:00 metrics.py:455] Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 5.3 tokens/s, Running: 3 reqs, Swapped: 0 reqs, Pending: 1 reqs, GPU KV cache usage: ${usage}%, CPU KV cache usage: 0.0%.`,
        ]),
      );
    expect(sentence('99.8')).toMatch(/its KV pool was full at times\.$/);
    expect(sentence('38.2')).toMatch(/its KV pool was never seen above 38 % \(35\.5 GiB of it/);
  });

  it('vllm-ascend: graphs are only said to be left out of a plan that has no room for them', () => {
    const sentence = (utilization: string, used: string) =>
      planSentence(
        read([
          `(EngineCore pid=123) INFO 07-26 15:49:29 [worker.py:1029] Free memory on device (60.61/60.96 GiB) on startup. Desired GPU memory utilization is (${utilization} GiB). Actual usage: ${used}`,
        ]),
      );
    expect(
      sentence(
        '0.6, 36.57',
        '27.54 GiB for weights, 0.26 GiB for peak activation, 0.18 GiB for non-torch memory, 0.47 GiB for NPU graph memory. Current KV cache memory: 8.04 GiB.',
      ),
    ).toBe('Planned 36.0 GiB; CUDA graphs took 481 MiB.');
    expect(
      sentence(
        '0.9, 55.14',
        '27.17 GiB for weights, 7.27 GiB for peak activation, 3.08 GiB for non-torch memory, 1.97 GiB for NPU graph memory. Current KV cache memory: 17.63 GiB.',
      ),
    ).toBe('Planned 55.1 GiB; CUDA graphs took 1.97 GiB, which it does not count.');
  });

  it('SGLang of two ranks with names before its lines (sgl-project/sglang#4826, #12978)', () => {
    const found = planned(
      ['TP0', 'TP1'].flatMap((rank) => [
        `llm-0 | [2025-03-27 21:33:30 ${rank}] Load weight end. type=Gemma3ForConditionalGeneration, dtype=torch.bfloat16, avail mem=131.08 GB, mem usage=8.13 GB.`,
        `llm-0 | [2025-03-27 21:33:31 ${rank}] KV Cache is allocated. #tokens: 834615, K size: 54.12 GB, V size: 54.12 GB`,
        `llm-0 | [2025-11-10 19:59:09 ${rank}] Capture cuda graph end. Time elapsed: 11.35 s. mem usage=1.04 GB. avail mem=11.22 GB.`,
      ]),
    );
    const parts = { weights: 8.13, kv: 108.24, graphs: 1.04 };
    expect(found).toEqual(
      ['TP0', 'TP1'].map((worker) => ({ worker, card: 116.37, host: null, parts })),
    );
  });

  it('SGLang of a hybrid model: its state is part of the plan, in both spellings', () => {
    const of = (gap: string, more = '') =>
      planned([
        `[2026-09-09 11:57:18] Mamba Cache is allocated. max_mamba_cache_size: 48, conv_state size: 0.09${gap}GB, ssm_state size: 6.46${gap}GB${more}`,
        '[2026-09-09 11:57:18] KV Cache is allocated. #tokens: 2618868, K size: 19.98 GB, V size: 19.98 GB',
      ])[0]!.parts;
    expect(of('')).toEqual({ state: 6.55, kv: 39.96 });
    expect(of(' ')).toEqual({ state: 6.55, kv: 39.96 });
    // What a speculative decoder adds, as the source prints it; these two figures are made up.
    const draft =
      ' intermediate_ssm_state_cache size: 1.00GB intermediate_conv_window_cache size: 0.50GB ';
    expect(of('', draft)).toEqual({ state: 8.05, kv: 39.96 });
    const { notes } = read([
      '[2026-09-09 11:57:18] KV Cache is allocated. #tokens: 10, K size: 19.98 GB, V size: 19.98 GB',
      '[2026-09-09 11:57:18] Other Cache is allocated. mem usage=2.00 GB',
    ]);
    expect(notes).toEqual([expect.stringMatching(/^SGLang: line 2 may plan memory/)]);
  });

  it('llama.cpp in a fork, and by way of its C# bindings (ikawrakow/ik_llama.cpp#237, SciSharp/LLamaSharp#1099)', () => {
    const [fork] = planned([
      'llm_load_tensors:     CUDA14 buffer size = 12698.93 MiB',
      'llama_new_context_with_model: n_ctx      = 163840',
    ]);
    expect(fork).toMatchObject({ card: 12.4, parts: { weights: 12.4 } });
    const [bound] = planned([
      '[llama Info]: llama_kv_cache_init:      CUDA0 KV buffer size =   144.00 MiB',
      '[llama Info]: llama_init_from_model: KV self size  =  144.00 MiB, K (f16):   72.00 MiB, V (f16):   72.00 MiB',
      '[llama Info]: llama_init_from_model:      CUDA0 compute buffer size =   300.75 MiB',
      '[llama Info]: llama_init_from_model:  CUDA_Host compute buffer size =    12.01 MiB',
    ]);
    expect(bound).toMatchObject({ card: 0.43, host: 0.01 });
  });

  it('a table of llama.cpp for a model that was only tried is no plan (ollama/ollama#17482)', () => {
    const { engines } = read([
      'common_memory_breakdown_print: | memory breakdown [MiB] | total    free     self   model   context   compute    unaccounted |',
      'common_memory_breakdown_print: |   - CUDA0 (RTX 3090)   | 24124 = 23860 + (15946 = 15364 +     411 +     170) +      -15681 |',
      'common_memory_breakdown_print: |   - Host               |                    804 =   682 +       0 +     122                |',
    ]);
    expect(engines).toEqual([]);
  });

  it('Ollama with 5 of 62 layers on the card plans what those take, not the model (ollama/ollama#8447)', () => {
    const [plan] = planned([
      'ollama  | time=2025-01-16T04:29:50.909Z level=INFO source=memory.go:356 msg="offload to cuda" layers.requested=-1 layers.model=62 layers.offload=5 layers.split="" memory.available="[23.3 GiB]" memory.gpu_overhead="0 B" memory.required.full="415.7 GiB" memory.required.partial="17.6 GiB" memory.required.kv="9.5 GiB" memory.required.allocations="[17.6 GiB]" memory.weights.total="385.0 GiB" memory.weights.repeating="384.3 GiB" memory.weights.nonrepeating="725.0 MiB" memory.graph.full="654.0 MiB" memory.graph.partial="1019.5 MiB"',
    ]);
    expect(plan).toMatchObject({ card: 17.6, host: null });
  });

  it('Ollama without a card plans the host’s memory, with the projector (deep-research-at-home#14)', () => {
    const [plan] = planned([
      'Jun 05 12:36:11 host ollama[25973]: time=2025-06-05T12:36:11.458Z level=INFO source=server.go:168 msg=offload library=cpu layers.requested=-1 layers.model=49 layers.offload=0 layers.split="" memory.available="[29.5 GiB]" memory.gpu_overhead="0 B" memory.required.full="10.5 GiB" memory.required.partial="0 B" memory.required.kv="1.3 GiB" memory.required.allocations="[10.5 GiB]" memory.weights.total="6.8 GiB" memory.weights.repeating="6.0 GiB" memory.weights.nonrepeating="787.5 MiB" memory.graph.full="519.5 MiB" memory.graph.partial="1.3 GiB" projector.weights="795.9 MiB" projector.graph="1.0 GiB"',
    ]);
    expect(plan).toMatchObject({ card: null, parts: { weights: 7.58, kv: 1.3, compute: 1.51 } });
    expect(plan!.host).toBeCloseTo(10.5, 0);
  });

  it('Ollama’s own engine, part by part (ollama/ollama#12027)', () => {
    const [plan] = planned([
      'time=2025-08-24T08:26:00.310Z level=INFO source=backend.go:321 msg="kv cache" device=CUDA0 size="936.0 MiB"',
      'time=2025-08-24T08:26:00.310Z level=INFO source=backend.go:332 msg="compute graph" device=CUDA0 size="98.0 MiB"',
      'time=2025-08-24T08:26:00.310Z level=INFO source=backend.go:337 msg="compute graph" device=CPU size="8.0 MiB"',
      'time=2025-08-24T08:26:00.310Z level=INFO source=backend.go:342 msg="total memory" size="5.4 GiB"',
    ]);
    expect(plan).toMatchObject({ card: 1.01, host: 0.01 });
  });
});
