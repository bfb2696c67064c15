import { type EngineLines, mib, pattern, type Told, told, whole } from './engine.ts';

/** A line begins with the function that prints it, after a time and a level in newer builds. */
const FUNCTION = String.raw`\w{1,60}: {1,20}`;
const BUFFER = String.raw`(\w[\w.-]{0,23})`;

/** It prints MiB, and called them MB before 2024. */
export const llamaCpp: EngineLines = {
  id: 'llama.cpp',
  title: 'llama.cpp',
  versions: 'b1046 (2023) to builds of August 2026',
  hint: /using device|buffer size|self size|memory breakdown|\| +- |VRAM|n_ctx|cells|llama_model_loader: loaded|params_fit|fitting params|listening|build: /,
  version: /\bbuild:? (b?\d{3,6}) \([0-9a-f]{6,12}\)/,
  begins: /llama_model_loader: loaded meta data with /,
  trial: {
    from: /params_fit\w*: (?!fitting params to free memory took)/,
    to: /fitting params to free memory took/,
  },
  wordings: [
    {
      name: 'model buffer size',
      versions: 'January 2024 (b1800) to 2026',
      when: pattern(
        `(?:llm_)?load_tensors: {1,20}${BUFFER} (?:model )?buffer size = {1,12}NUMBER MiB`,
      ),
      read: (m) => [buffer('weights', m[1]!, m[2]!)],
    },
    {
      name: 'KV buffer size',
      versions: 'January 2024 to 2026',
      when: pattern(`${FUNCTION}${BUFFER} KV buffer size = {1,12}NUMBER MiB`),
      read: (m) => [buffer('kv', m[1]!, m[2]!)],
    },
    {
      name: 'RS buffer size',
      versions: 'August 2025 to 2026',
      when: pattern(`${FUNCTION}${BUFFER} RS buffer size = {1,12}NUMBER MiB`),
      read: (m) => [buffer('state', m[1]!, m[2]!)],
    },
    {
      name: 'compute buffer size',
      versions: 'January 2024 to 2026',
      when: pattern(`${FUNCTION}${BUFFER} compute buffer size = {1,12}NUMBER MiB`),
      // Made anew where a larger one is needed: the last one counts.
      read: (m) => [told('compute', mib(m[2]), m[1])],
    },
    {
      name: 'output buffer size',
      versions: 'January 2024 to 2026',
      when: pattern(
        `${FUNCTION}${BUFFER} {1,4}(?:output|input) buffer size {0,4}= {1,12}NUMBER MiB`,
      ),
      read: (m) => [told('output', mib(m[2]), m[1])],
    },
    {
      name: 'cells of the KV cache',
      versions: 'April 2025 to 2026',
      when: pattern(
        String.raw`llama_kv_cache\w{0,40}: size = {1,12}NUMBER MiB \( {0,8}(\d{1,10}) cells`,
      ),
      read: (m) => (Number(m[1]) > 0 ? [{ ...told('kv-tokens', whole(m[2])), most: true }] : null),
    },
    {
      name: 'n_ctx',
      versions: '2023 to 2026',
      when: /llama_\w{1,60}: n_ctx {1,24}= (\d{1,10})\b/,
      read: (m) => [told('context', whole(m[1]))],
    },
    {
      name: 'VRAM used',
      versions: '2023 (b1046 to b1700)',
      when: pattern('llm_load_tensors: VRAM used: {1,8}NUMBER M(?:i)?B'),
      read: (m) => [told('weights', mib(m[1]), 'GPU')],
    },
    {
      name: 'kv self size',
      versions: '2023 (b1046 to b1700)',
      when: pattern('llama_new_context_with_model: kv self size {1,4}= {1,8}NUMBER M(?:i)?B'),
      read: (m) => [told('kv', mib(m[1]), 'not told where')],
    },
    {
      name: 'total VRAM used',
      versions: '2023 (b1300 to b1700)',
      when: pattern(
        String.raw`total VRAM used: {1,8}NUMBER M(?:i)?B \(model: {1,8}NUMBER M(?:i)?B, context: {1,8}NUMBER M(?:i)?B\)`,
      ),
      read: (m) => [told('plan-total', mib(m[1]), 'GPU')],
    },
    {
      name: 'Device',
      versions: '2026',
      when: pattern(String.raw`^\s{0,4}Device (\d{1,3}): .{1,200}, VRAM: NUMBER MiB`),
      read: (m) => [told('total', mib(m[2]), `CUDA${m[1]}`)],
    },
    {
      name: 'using device',
      versions: 'November 2024 to 2026',
      when: pattern(String.raw`using device ${BUFFER} \(.{1,200}\) - NUMBER MiB free`),
      read: (m) => [told('free', mib(m[2]), m[1])],
    },
    {
      name: 'memory breakdown',
      versions: 'September 2025 (b6500) to 2026',
      when: /\| +- ([A-Za-z][\w.-]{0,23})(?: \([^|]{0,80}\))? +\| +(\d{1,12}) = +(\d{1,12}) \+ \( *(\d{1,12}) = +(\d{1,12}) \+ +(\d{1,12}) \+ +(\d{1,12})\) \+ +(-?\d{1,20}) \|/,
      read: breakdown,
    },
    {
      name: 'memory breakdown of the host',
      versions: 'September 2025 (b6500) to 2026',
      when: /\| +- Host +\| +(\d{1,12}) = +(\d{1,12}) \+ +(\d{1,12}) \+ +(\d{1,12}) +\|/,
      // What it holds is told when it loads: this table is printed for trials as well.
      read: () => null,
    },
  ],
  alike:
    /(?:llama|llm|ggml|load_tensors)\w{0,60}:.{0,160}\b(?:buffer size|KV self size|VRAM|memory)\b.{0,60}\d(?:\.\d+)? ?M(?:i)?B\b/i,
  idle: /KV self size|scratch buffer|mem required|ggml ctx size|mem_required|fit|projected|failed|allocat|LoRA|splitting|CPU_REPACK|compute buffer total|buffer size is|found \d+ \w+ devices|token to piece|special tokens/i,
  listens:
    /(?:server|start|main|srv|HTTP)\b.{0,60}\blisten(?:ing)?\b.{0,40}?(?:https?:\/\/[^\s:/]{1,80}:|port: )(\d{1,5})\b/,
};

const buffer = (what: 'weights' | 'kv' | 'state', device: string, size: string): Told => ({
  ...told(what, mib(size), device),
  adds: true,
});

/** Printed for trials too, where nothing was taken yet: what is then unaccounted is negative, or wraps around. */
function breakdown(m: RegExpExecArray): Told[] | null {
  const [total, unaccounted] = [Number(m[2]), Number(m[8])];
  if (unaccounted < 0 || unaccounted >= total) return null;
  const device = m[1]!;
  return [
    told('end-total', mib(m[2]), device),
    told('end-free', mib(m[3]), device),
    told('end-weights', mib(m[5]), device),
    told('end-context', mib(m[6]), device),
    told('end-compute', mib(m[7]), device),
    told('end-unaccounted', mib(m[8]), device),
  ];
}
