/** Kinds that say what live bytes are; the others are about the whole process. */
const LIVE: readonly string[] = [
  'weight',
  'gradient',
  'buffer',
  'optimizer',
  'feature_map',
  'intermediate_gradient',
  'input',
  'output',
  'kept',
  'other',
];

/** What belongs to some layer; gradients between layers and inputs only where they are named. */
export const isOfLayer = (kind: string, name: string) =>
  isLive(kind) && kind !== 'other' && (name !== '' || LIVE.indexOf(kind) < 5);

/** Said of the process, not of a part of a model. */
const ABOUT: ReadonlySet<string> = new Set(['device', 'peak', 'at_peak', 'cached', 'context']);

export const isLive = (kind: string) => !ABOUT.has(kind);

/** Known kinds first, in the order in which one reads them. */
export function byKindOrder(a: string, b: string): number {
  const place = (kind: string) => (LIVE.includes(kind) ? LIVE.indexOf(kind) : LIVE.length);
  return place(a) - place(b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** What the memory of a process is made of, from the ground up. */
export const ACCOUNTING_BANDS = [
  'parameters',
  'gradients',
  'optimizer',
  'activations',
  'kept',
  'other',
  'cached',
  'context',
] as const;
export type AccountingBand = (typeof ACCOUNTING_BANDS)[number];

export function bandOf(kind: string): AccountingBand {
  switch (kind) {
    case 'weight':
    case 'buffer':
      return 'parameters';
    case 'gradient':
      return 'gradients';
    case 'feature_map':
    case 'intermediate_gradient':
    case 'input':
    case 'output':
      return 'activations';
    case 'optimizer':
    case 'kept':
    case 'cached':
    case 'context':
      return kind;
    default:
      return 'other';
  }
}

const OF_PARAMETERS: ReadonlySet<string> = new Set(['weight', 'gradient', 'buffer', 'optimizer']);

/** The layer that a parameter belongs to: `conv1` of `conv1/kernel`, `mlp.0` of `mlp.0.weight`. */
export function layerOf(name: string, kind: string): string {
  // Made in `conv1 at train.py:12`: the layer, where there is one, else the line.
  if (kind === 'kept') return name.replace(/ at \S+:\d+$/, '');
  if (!OF_PARAMETERS.has(kind)) return name;
  return name.replace(/(?<=.)[./][^./]*$/, '');
}
