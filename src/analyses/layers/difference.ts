import type { NamedRecording } from '../../model/recording.ts';
import { type IterationMoment, layers, type ModelLayers } from './index.ts';

/** Bytes in both runs; null where a run has no such thing. */
export interface LayerPair {
  readonly aBytes: number | null;
  readonly bBytes: number | null;
  /** b − a, a missing one counted as nothing. */
  readonly differenceBytes: number;
}

/** How the layers of run `b` differ from those of run `a`, each at its highest iteration. */
export interface LayerDifference {
  readonly a: string;
  readonly b: string;
  readonly aAt: IterationMoment;
  readonly bAt: IterationMoment;
  readonly kinds: readonly (LayerPair & { readonly kind: string })[];
  /** The largest change first. */
  readonly layers: readonly (LayerPair & { readonly layer: string })[];
}

/** Every run whose layers were profiled against one of them: the one asked for, else the first. */
export function layerDifferences(
  given: readonly NamedRecording[],
  baseline?: string,
): LayerDifference[] {
  const profiled = given.flatMap(({ name, recording }) => {
    const model = largest(layers(recording).models);
    return model ? [{ name, model }] : [];
  });
  const against = profiled.find(({ name }) => name === baseline) ?? profiled[0];
  if (!against) return [];
  return profiled.filter((run) => run !== against).map((run) => difference(against, run));
}

type ProfiledRun = { readonly name: string; readonly model: ModelLayers };

function difference(a: ProfiledRun, b: ProfiledRun): LayerDifference {
  const byKind = ({ totals }: ModelLayers) => new Map(totals.map((one) => [one.kind, one.bytes]));
  const byLayer = ({ layers: all }: ModelLayers) =>
    new Map(all.map((one) => [one.layer, one.bytes]));
  return {
    a: a.name,
    b: b.name,
    aAt: a.model.at,
    bAt: b.model.at,
    kinds: pairs(byKind(a.model), byKind(b.model)).map(([kind, pair]) => ({ kind, ...pair })),
    layers: pairs(byLayer(a.model), byLayer(b.model))
      .map(([layer, pair]) => ({ layer, ...pair }))
      .sort((x, y) => Math.abs(y.differenceBytes) - Math.abs(x.differenceBytes)),
  };
}

function pairs(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
): [string, LayerPair][] {
  return [...new Set([...a.keys(), ...b.keys()])].map((key) => {
    const [aBytes, bBytes] = [a.get(key) ?? null, b.get(key) ?? null];
    return [key, { aBytes, bBytes, differenceBytes: (bBytes ?? 0) - (aBytes ?? 0) }];
  });
}

/** Of several ranks the one that held most: they mostly train the same model. */
export function largest(models: readonly ModelLayers[]): ModelLayers | null {
  const size = ({ peak, totals }: ModelLayers) =>
    peak?.bytes ?? totals.reduce((sum, { bytes }) => sum + bytes, 0);
  return [...models].sort((a, b) => size(b) - size(a))[0] ?? null;
}
