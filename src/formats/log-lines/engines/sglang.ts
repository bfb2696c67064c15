import { after, type EngineLines, gib, pattern, type Told, told, whole } from './engine.ts';

/** Of state that is kept per request. */
const SIZE = (name: string) => `${name} size: NUMBER ?GB`;

/** What it calls GB are GiB. */
export const sglang: EngineLines = {
  id: 'sglang',
  title: 'SGLang',
  versions: '0.4.4 to 0.5.18',
  hint: /mem usage=|(?:KV|Mamba) Cache is allocated|Memory pool end|max_total_num_tokens|token usage|Uvicorn running|server_args=/,
  begins: /\bserver_args=ServerArgs\(/,
  // Not at the beginning: journals and containers put names before it.
  speaker: /\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d((?: [A-Z]{2}\d{1,4}){1,4})\]()/,
  wordings: [
    {
      name: 'Load weight end',
      versions: '0.4.4 to 0.5.18',
      when: pattern('Load weight end\\..{0,300}\\bmem usage=NUMBER GB'),
      read: (m) => [{ ...told('weights', gib(m[1])), adds: true }],
    },
    {
      name: 'KV Cache is allocated',
      versions: '0.4.4 to 0.5.18',
      when: pattern(
        'KV Cache is allocated\\. (?:dtype: \\S{1,40}, )?#tokens: COUNT, K size: NUMBER GB, V size: NUMBER GB',
      ),
      read: (m) => [{ ...told('kv', gib(m[2]) + gib(m[3])), adds: true }, most(m[1])],
    },
    {
      name: 'KV Cache is allocated, in one',
      versions: '0.4.4 to 0.5.18',
      when: pattern(
        'KV Cache is allocated\\. (?:dtype: \\S{1,40}, )?#tokens: COUNT, KV size: NUMBER GB',
      ),
      read: (m) => [{ ...told('kv', gib(m[2])), adds: true }, most(m[1])],
    },
    {
      name: 'Mamba Cache is allocated',
      versions: '0.5.4 to 0.5.18',
      // With or without a space, with or without what a speculative decoder keeps.
      when: pattern(
        `Mamba Cache is allocated\\. .{0,60}?${SIZE('conv_state')}, ${SIZE('ssm_state')}(?:,? ${SIZE('intermediate_ssm_state_cache')})?(?:,? ${SIZE('intermediate_conv_window_cache')})?`,
      ),
      read: (m) => {
        const sizes = m.slice(1).filter((size) => size !== undefined);
        return [
          {
            ...told(
              'state',
              sizes.reduce((sum, size) => sum + gib(size), 0),
            ),
            adds: true,
          },
        ];
      },
    },
    {
      name: 'Capture cuda graph end',
      versions: '0.4.4 to 0.5.18',
      when: pattern(
        'Capture (?:\\w{1,30} ){0,3}(?:cuda|CUDA) graph end\\..{0,120}\\bmem usage=NUMBER GB',
      ),
      read: (m) => [{ ...told('graphs-taken', gib(m[1])), adds: true }],
    },
    {
      name: 'max_total_num_tokens',
      versions: '0.3 to 0.5.18',
      when: /\bmax_total_num_tokens=(\d{1,12}), .{0,300}\bcontext_len=(\d{1,10})/,
      read: (m) => [told('kv-tokens', whole(m[1])), told('context', whole(m[2]))],
    },
  ],
  sample: {
    when: /#running-req: (\d{1,9}), .{0,120}token usage: (\d(?:\.\d{1,4})?)/,
    read: (line, m) => ({
      kvUsed: Number(m[2]),
      running: Number(m[1]),
      waiting: after(line, /#queue-req: (\d{1,9})/),
      preemptions: Number.NaN,
    }),
  },
  alike: pattern(
    '\\b(?:mem usage=|K(?:V)? size: )NUMBER GB|Cache is allocated\\..{0,200}NUMBER ?GB',
  ),
  idle: /Init torch distributed|begin\./,
  listens: /Uvicorn running on https?:\/\/[^\s:/]{1,80}:(\d{1,5})\b/,
};

/** A draft model has a pool of its own. */
const most = (tokens: string | undefined): Told => ({
  ...told('kv-tokens', whole(tokens)),
  most: true,
});
