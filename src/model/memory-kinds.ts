/**
 * What memory is, in the words that people read, from the ground up: what stays longest is lowest.
 * Allocations' categories, layers' kinds and the bands of a process all have their word, their place
 * in a stack (here) and their colour (views/chart/palette.ts) by this list.
 */
const NAMES = {
  parameter: 'parameters',
  buffer: 'buffers',
  optimizer_state: 'optimizer state',
  gradient: 'gradients',
  input: 'inputs',
  activation: 'activations',
  output: 'layer outputs',
  workspace: 'workspaces',
  intermediate_gradient: 'intermediate gradients',
  temporary: 'temporary',
  kept: 'kept tensors',
  cache: 'caches: tensors that became more as it served',
  other: 'other',
  unknown: 'unknown',
  cached: 'cached and free',
  context: 'device context',
} as const;

export type MemoryKind = keyof typeof NAMES;

/** From the ground up. */
export const MEMORY_KINDS = Object.keys(NAMES) as readonly MemoryKind[];

/** Other keys of the same things in recordings and in JSON. */
const ALIASES: Readonly<Record<string, MemoryKind>> = {
  parameters: 'parameter',
  weight: 'parameter',
  gradients: 'gradient',
  optimizer: 'optimizer_state',
  'optimizer state': 'optimizer_state',
  feature_map: 'activation',
  activations: 'activation',
  caches: 'cache',
};

/** null: a kind of another profiler. */
export function memoryKind(key: string): MemoryKind | null {
  if (Object.hasOwn(NAMES, key)) return key as MemoryKind;
  return Object.hasOwn(ALIASES, key) ? ALIASES[key]! : null;
}

/** What a page or a table calls it. */
export function kindName(key: string): string {
  const kind = memoryKind(key);
  return kind ? NAMES[kind] : key.replaceAll('_', ' ');
}

/** How kinds stand upon each other; those of other profilers above all. */
export function byStackOrder(a: string, b: string): number {
  const place = (key: string) => {
    const kind = memoryKind(key);
    return kind ? MEMORY_KINDS.indexOf(kind) : MEMORY_KINDS.length;
  };
  return place(a) - place(b) || (a < b ? -1 : a > b ? 1 : 0);
}
