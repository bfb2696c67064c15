/** Always some layer's, whether or not it is named. */
const OF_LAYERS: ReadonlySet<string> = new Set([
  ...['weight', 'gradient', 'buffer', 'optimizer', 'feature_map'],
]);

/** What belongs to some layer; gradients between layers and inputs only where they are named. */
export const isOfLayer = (kind: string, name: string) =>
  isLive(kind) && kind !== 'other' && (name !== '' || OF_LAYERS.has(kind));

/** Said of the process, not of a part of a model. */
const ABOUT: ReadonlySet<string> = new Set(['device', 'peak', 'at_peak', 'cached', 'context']);

export const isLive = (kind: string) => !ABOUT.has(kind);

/** What the memory of a process is made of, from the ground up. */
export const ACCOUNTING_BANDS = [
  'parameters',
  'optimizer',
  'gradients',
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
