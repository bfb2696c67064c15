/**
 * What an engine that serves models says of its memory: figures of a plan, a line each, and how full
 * its pool was later on. From a log, live or as a file.
 */

const ENGINE_NAMES: Readonly<Record<string, string>> = {
  vllm: 'vLLM',
  'llama.cpp': 'llama.cpp',
  ollama: 'Ollama',
  sglang: 'SGLang',
  'example-engine': 'the example engine',
};

/** For people; an engine that is not known keeps its own. */
export const engineName = (id: string): string => ENGINE_NAMES[id] ?? id;

/** In a recording, what stands in place of a figure where a line was not read. */
export const PASSED_OVER = 'passed-over';
/** Lines passed over that are named; one more says that there are more. */
export const MOST_PASSED_OVER = 3;

export function passedOverNote(engine: string, lines: readonly number[], known: string): string {
  const named = lines.slice(0, MOST_PASSED_OVER).join(', ');
  const more = lines.length > MOST_PASSED_OVER ? ' …' : '';
  const which = `${lines.length === 1 ? 'line' : 'lines'} ${named}${more}`;
  return `${engine}: ${which} may plan memory in words that are not known here (known: ${known}), and ${lines.length === 1 ? 'was' : 'were'} passed over`;
}

/** Parts of a plan, in bytes; a plan has those that its engine tells. */
export const PLAN_PARTS = {
  weights: 'weights',
  kv: 'KV pool',
  state: 'recurrent state',
  activations: 'activations',
  compute: 'compute buffers',
  output: 'output buffer',
  graphs: 'CUDA graphs',
  outside: 'outside torch',
  other: 'other',
} as const;

export type PlanPart = keyof typeof PLAN_PARTS;

/** Figures that are no part by themselves. */
export const PLAN_FACTS = {
  total: 'the card has',
  free: 'free when it started',
  utilization: 'share of the card that was asked for',
  limit: 'what that share is',
  'plan-total': 'the sum, as the engine says it',
  'weights-outside': 'weights with what is outside torch',
  'torch-peak': 'weights with activations',
  'activations-graphs': 'activations with the graphs that were expected',
  'graphs-counted': '1 where the plan counts graphs, 0 where not',
  'graphs-taken': 'graphs, when they were captured',
  'kv-tokens': 'tokens that fit',
  'kv-blocks': 'blocks that fit',
  context: 'tokens of one request at most',
  concurrency: 'requests of that length that fit',
  asleep: 'in use on the card while asleep',
  freed: 'freed by falling asleep',
  woke: '1: it was awake again',
  'end-total': 'the card has, in the table at the end',
  'end-free': 'free, in the table at the end',
  'end-weights': 'weights, in the table at the end',
  'end-context': 'KV pool and state, in the table at the end',
  'end-compute': 'compute buffers, in the table at the end',
  'end-unaccounted': 'of nobody known, in the table at the end',
} as const;

export type PlanWhat = PlanPart | keyof typeof PLAN_FACTS;

/** One figure of a line. */
export interface PlanFigure {
  /** `vllm`, `llama.cpp` … */
  readonly engine: string;
  /** As its log says it; empty where it does not. */
  readonly version: string;
  /** Who says it, as the line names it: `Worker_TP0`; empty: the line names nobody. */
  readonly worker: string;
  readonly pid: number | null;
  /** From 1: an engine may load a model again. */
  readonly load: number;
  /** As the engine names it: `CUDA0`, `CPU`; empty: the card of that process. */
  readonly device: string;
  readonly what: PlanWhat;
  readonly value: number;
  /** The wording that it was read by. */
  readonly wording: string;
  /** From 1, in its file or stream. */
  readonly line: number;
}

/** How full an engine was at a moment, by its own word. */
export interface ServingSample {
  readonly engine: string;
  readonly worker: string;
  /** Where it is from. */
  readonly from: 'log' | 'metrics';
  /** Share of the KV pool in use, 0 to 1; NaN: not told. */
  readonly kvUsed: number;
  readonly running: number;
  readonly waiting: number;
  /** So far. */
  readonly preemptions: number;
}

/** What a text tells of engines. */
export interface EngineText {
  readonly figures: readonly PlanFigure[];
  /** The last line, and so few as are worth keeping: the highest of each figure, first and last. */
  readonly samples: readonly (ServingSample & { readonly line: number })[];
  /** What was passed over, in words of ours. */
  readonly notes: readonly string[];
}

/** Whether a text has a plan: figures of how many tokens fit alone are none. */
export const tellsPlan = (text: EngineText | null): boolean =>
  text?.figures.some(({ what }) => isOfMemory(what)) ?? false;

/** A part of the memory of a plan, or a sum of them; graphs are told by themselves in many a log. */
export const isOfMemory = (what: PlanWhat): boolean =>
  (isPart(what) && what !== 'graphs') || what === 'weights-outside' || what === 'plan-total';

export const isPart = (what: PlanWhat): what is PlanPart => Object.hasOwn(PLAN_PARTS, what);
export const isPlanWhat = (what: string): what is PlanWhat =>
  Object.hasOwn(PLAN_PARTS, what) || Object.hasOwn(PLAN_FACTS, what);
