import type { Storage } from '../tags/lines.ts';
import type { LiveStorages, StorageEntry } from './live-storages.ts';
import { purposeOf, type StorageKind } from './purpose.ts';

/** What one iteration held, when it held most of it. */
export interface IterationFacts {
  /** Bytes that the backward pass needed, by layer. */
  readonly featureMaps: ReadonlyMap<string, number>;
  readonly intermediateGradients: number;
  readonly inputs: number;
  readonly peak: number;
  /** The layer that asked for the last bytes of it. */
  readonly peakLayer: string;
  readonly atPeak: ReadonlyMap<StorageKind, number>;
}

/** What a storage counts as in this iteration; the model's own are known better than by their tags. */
export function kindOf(
  entry: StorageEntry,
  storages: LiveStorages,
  owned: ReadonlyMap<Storage, StorageKind>,
): StorageKind {
  const own = owned.get(entry.storage);
  if (own) return own;
  const { kind } = purposeOf(entry.storage.tag);
  const lasting = kind === 'weight' || kind === 'buffer' || kind === 'optimizer';
  return storages.isOld(entry) && !lasting ? 'kept' : kind;
}

/**
 * Goes back in time from what is live now: what a storage is for is often known after it was made, so
 * that only now its kind at the peak can be told.
 */
export function replay(
  storages: LiveStorages,
  owned: ReadonlyMap<Storage, StorageKind>,
): IterationFacts {
  const byKind = new Map<StorageKind, number>();
  const byLayer = new Map<string, number>();
  const featureMaps = new Map<string, number>();
  let [bytes, inputs, intermediateGradients] = [0, 0, 0];
  const count = (entry: StorageEntry, sign: 1 | -1) => {
    const { storage } = entry;
    const kind = kindOf(entry, storages, owned);
    const change = sign * storage.bytes;
    bytes += change;
    byKind.set(kind, (byKind.get(kind) ?? 0) + change);
    if (kind === 'feature_map') {
      const { name } = purposeOf(storage.tag);
      byLayer.set(name, (byLayer.get(name) ?? 0) + change);
    }
  };
  for (const entry of storages.live.values()) count(entry, 1);
  let peak = { bytes, layer: '', byKind: new Map(byKind) };
  for (let i = storages.events.length - 1; i >= 0; i--) {
    const event = storages.events[i]!;
    if (event.verb === 'forward-end') {
      for (const [name, held] of byLayer) {
        featureMaps.set(name, Math.max(held, featureMaps.get(name) ?? 0));
      }
      inputs = Math.max(inputs, byKind.get('input') ?? 0);
      continue;
    }
    const { verb, entry } = event;
    // Of equal peaks the first counts; time runs backwards here.
    if (verb === 'made' && bytes >= peak.bytes) {
      const { name } = purposeOf(entry.storage.tag);
      peak = { bytes, layer: name, byKind: new Map(byKind) };
    }
    const gradients = byKind.get('intermediate_gradient') ?? 0;
    intermediateGradients = Math.max(intermediateGradients, gradients);
    count(entry, verb === 'made' ? -1 : 1);
  }
  return {
    featureMaps,
    intermediateGradients,
    inputs,
    peak: peak.bytes,
    peakLayer: peak.layer,
    atPeak: peak.byKind,
  };
}
