import type { PlanWhat } from '../../../model/engine-plan.ts';
import { after, type EngineLines, told } from './engine.ts';

const PARTS: Readonly<Record<string, PlanWhat>> = {
  weights: 'weights',
  kv_pool: 'kv',
  activations: 'activations',
  graphs: 'graphs',
  other: 'outside',
  total: 'plan-total',
};

/** The engine of examples/engine, whose README has its lines. */
export const exampleEngine: EngineLines = {
  id: 'example-engine',
  title: 'the example engine',
  versions: 'of this repository',
  hint: /\[engine\] /,
  wordings: [
    {
      name: 'plan',
      versions: 'all',
      when: /\[engine\] plan: (weights|kv_pool|activations|graphs|other|total) (\d{1,15}) bytes/,
      read: (m) => [told(PARTS[m[1]!]!, Number(m[2]))],
    },
    {
      name: 'asleep',
      versions: 'all',
      when: /\[engine\] asleep: level \d{1,2}, freed (\d{1,15}) bytes, holds (\d{1,15}) bytes/,
      read: (m) => [told('freed', Number(m[1])), told('asleep', Number(m[2]))],
    },
    {
      name: 'awake',
      versions: 'all',
      when: /\[engine\] awake: holds \d{1,15} bytes/,
      read: () => [told('woke', 1)],
    },
  ],
  sample: {
    when: /\[engine\] stats: running (\d{1,9}), waiting (\d{1,9}), KV pool (\d{1,3}(?:\.\d{1,4})?) % used/,
    read: (line, m) => ({
      kvUsed: Number(m[3]) / 100,
      running: Number(m[1]),
      waiting: Number(m[2]),
      preemptions: after(line, /\bpreemptions (\d{1,9})/),
    }),
  },
  alike: /\[engine\] plan: /,
  listens: /\[engine\] metrics: http:\/\/127\.0\.0\.1:(\d{1,5})\/metrics/,
};
