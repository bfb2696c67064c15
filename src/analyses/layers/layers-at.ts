import { type Growth, growth } from '../../model/layers/growth.ts';
import { bytesAt, type LayerHistory, sumsBy } from '../../model/layers/history.ts';
import { isLive, isOfLayer, layerOf } from '../../model/layers/kinds.ts';
import { byStackOrder } from '../../model/memory-kinds.ts';

/** A layer or parameter, and one thing that it holds. */
export interface LayerPart {
  readonly name: string;
  readonly kind: string;
  readonly bytes: number;
  /** null where it does not only grow. */
  readonly growth: Growth | null;
}

export interface LayerSum {
  readonly layer: string;
  readonly bytes: number;
  readonly kinds: Readonly<Record<string, number>>;
}

/** The most live at once in an iteration, and at which layer. */
export interface LivePeak {
  readonly bytes: number;
  readonly layer: string;
}

/** What a model held in one iteration. */
export interface LayersAt {
  readonly peak: LivePeak | null;
  readonly totals: readonly { readonly kind: string; readonly bytes: number }[];
  /** The largest first. */
  readonly layers: readonly LayerSum[];
  readonly parts: readonly LayerPart[];
}

/** `at`: an index into the iterations of the history. */
export function layersAt(history: LayerHistory, at: number): LayersAt {
  const parts = partsAt(history, at);
  return {
    peak: peakAt(history, at),
    totals: kindSums(history).map(([kind, values]) => ({ kind, bytes: values[at]! })),
    layers: layerSums(parts),
    parts,
  };
}

/** Every live part, the largest first. */
export function partsAt({ parts, iterations }: LayerHistory, at: number): LayerPart[] {
  return parts
    .filter(({ kind }) => isLive(kind))
    .map((part): LayerPart => {
      const { name, kind, changes } = part;
      const bytes = bytesAt(part, at) ?? 0;
      return { name, kind, bytes, growth: growth(changes, iterations.length) };
    })
    .sort((a, b) => b.bytes - a.bytes);
}

/** The bytes of each live kind, iteration by iteration, from the ground of a stack up. */
export function kindSums(history: LayerHistory): [kind: string, bytes: Float64Array][] {
  const kinds = sumsBy(history, ({ kind }) => (isLive(kind) ? kind : null));
  return [...kinds].sort(([a], [b]) => byStackOrder(a, b));
}

export function peakAt({ parts }: LayerHistory, at: number): LivePeak | null {
  for (const part of parts) {
    const bytes = part.kind === 'peak' ? bytesAt(part, at) : null;
    if (bytes !== null) return { bytes, layer: part.name };
  }
  return null;
}

export function layerSums(parts: readonly LayerPart[]): LayerSum[] {
  const found = new Map<string, { layer: string; bytes: number; kinds: Record<string, number> }>();
  for (const { name, kind, bytes } of parts) {
    if (!isOfLayer(kind, name) || bytes === 0) continue;
    const layer = layerOf(name, kind);
    const sum = found.get(layer) ?? { layer, bytes: 0, kinds: {} };
    sum.bytes += bytes;
    sum.kinds[kind] = (sum.kinds[kind] ?? 0) + bytes;
    found.set(layer, sum);
  }
  return [...found.values()].sort((a, b) => b.bytes - a.bytes);
}
