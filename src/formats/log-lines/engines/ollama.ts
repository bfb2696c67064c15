import { parseSize } from '../../../base/bytes.ts';
import type { PlanWhat } from '../../../model/engine-plan.ts';
import { type EngineLines, type Told, told } from './engine.ts';

const SIZE = String.raw`"?(\d{1,9}(?:\.\d{1,3})? [KMGT]?i?B)"?`;
const line = (message: string) =>
  new RegExp(`msg="${message}" device="?([\\w.:-]{1,24})"? size=${SIZE}`);
const sized = (what: PlanWhat) => (m: RegExpExecArray) => [told(what, parseSize(m[2]!), m[1])];

/** What Ollama itself plans; its runner prints llama.cpp's lines. */
export const ollama: EngineLines = {
  id: 'ollama',
  title: 'Ollama',
  versions: '0.1.40 to 0.32',
  hint: /msg=/,
  version: /\bmsg="Listening on .{1,80}\(version (\d{1,3}\.\d{1,3}[\w.+-]{0,30})\)"/,
  begins: /msg="starting (?:go |llama |ollama )?(?:runner|llama server|llama-server|engine)"/,
  wordings: [
    {
      name: 'model weights',
      versions: '0.11.5 to 0.32',
      when: line('model weights'),
      read: sized('weights'),
    },
    { name: 'kv cache', versions: '0.11.5 to 0.32', when: line('kv cache'), read: sized('kv') },
    {
      name: 'compute graph',
      versions: '0.11.5 to 0.32',
      when: line('compute graph'),
      read: sized('compute'),
    },
    {
      name: 'total memory',
      versions: '0.11.5 to 0.32',
      when: new RegExp(`msg="total memory" size=${SIZE}`),
      read: (m) => [told('plan-total', parseSize(m[1]!))],
    },
    {
      name: 'offload',
      versions: '0.1.40 to 0.12',
      when: /\bmsg="?offload(?: to \w{1,20})?"? .{0,800}\bmemory\.required\.kv=/,
      read: (m) => estimate(m.input),
    },
  ],
};

/**
 * All of what was estimated stands in one line. Where only some layers are on the card it tells their sum alone: its
 * weights and its cache are of the whole model.
 */
function estimate(text: string): Told[] | null {
  const of = (key: string) => {
    const found = new RegExp(`\\b${key}=${SIZE}`).exec(text);
    return found ? parseSize(found[1]!) : null;
  };
  const layers =
    /\blayers\.(?:model|real)=(\d{1,5}) .{0,60}?\blayers\.(?:offload|estimate)=(\d{1,5})\b/.exec(
      text,
    );
  const [model, offloaded] = [Number(layers?.[1]), Number(layers?.[2])];
  const onHost = /\blibrary=cpu\b/.test(text) || offloaded === 0;
  if (!onHost && offloaded < model) {
    const some = of('memory.required.partial');
    return some === null ? null : [told('other', some), told('plan-total', some)];
  }
  const device = onHost ? 'CPU' : '';
  const parts: [PlanWhat, (number | null)[]][] = [
    ['weights', [of('memory.weights.total'), of('projector.weights')]],
    ['kv', [of('memory.required.kv')]],
    ['compute', [of('memory.graph.full'), of('projector.graph')]],
    ['plan-total', [of('memory.required.full')]],
  ];
  return parts.flatMap(([what, [first, second]]) =>
    first == null ? [] : [told(what, first + (second ?? 0), device)],
  );
}
