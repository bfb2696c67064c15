import type { Storage } from '../tags/lines.ts';
import type { Tagger } from '../tags/tagger.ts';
import type { Engine, Tensor } from '../tags/tfjs.ts';
import type { LiveStorages } from './live-storages.ts';
import type { ModelTensor } from './model.ts';
import { purposeOf, type StorageKind } from './purpose.ts';
import { type IterationFacts, kindOf, replay } from './replay.ts';

type ByName = ReadonlyMap<string, number>;

/** Everything that is said of one iteration, in bytes. */
export interface Stats extends IterationFacts {
  readonly epoch: number;
  readonly iteration: number;
  readonly weights: ByName;
  readonly buffers: ByName;
  readonly gradients: ByName;
  readonly optimizer: ByName;
  /** Made in earlier iterations and not disposed of, by the layer or line that made them. */
  readonly kept: ByName;
  /** How many those are. */
  readonly keptTensors: number;
  /** Live now and none of the above. */
  readonly other: number;
  readonly live: number;
  readonly mostLive: number;
  /** The whole process, as the kernel counts it. */
  readonly resident: number;
  readonly mostResident: number;
  /** Where it lives: `cpu`, `gpu`. */
  readonly device: string;
  /** What `tf.memory()` counts. */
  readonly tensors: number;
}

export interface Sources {
  readonly engine: Engine;
  readonly tagger: Tagger;
  readonly storages: LiveStorages;
  readonly modelTensors: readonly ModelTensor[];
  /** What to call each weight, by the name of its variable. */
  readonly weightNames: ReadonlyMap<string, string>;
  /** Names of the model's layers, in their order. */
  readonly layers: readonly string[];
  /** Of this iteration: bytes of each parameter's gradient. */
  readonly gradients: ReadonlyMap<Tensor, number>;
  /** The optimizer is known, so that its slots are among those tensors. */
  readonly optimizerKnown: boolean;
}

export function takeStats(sources: Sources, epoch: number, iteration: number): Stats {
  const { engine, tagger, storages, modelTensors, gradients } = sources;
  const bytesOf = (tensor: Tensor) => engine.state.tensorInfo.get(tensor.dataId)?.bytes ?? 0;
  const groups = { weight: new Map(), buffer: new Map(), optimizer: new Map<string, number>() };
  const owned = new Map<Storage, StorageKind>();
  const gradientOf = new Map<string, number>();
  let held = 0;
  for (const { kind, name, tensor } of modelTensors) {
    const bytes = bytesOf(tensor);
    held += bytes;
    addTo(groups[kind], name, bytes);
    const storage = tagger.storageOf(tensor);
    if (storage) owned.set(storage, kind);
    if (kind === 'weight') gradientOf.set(name, gradients.get(tensor) ?? 0);
  }
  const kept = new Map<string, number>();
  let [keptTensors, keptBytes, place] = [0, 0, 'CPU'];
  for (const entry of storages.live.values()) {
    const { storage, line } = entry;
    place = storage.place;
    const kind = kindOf(entry, storages, owned);
    if (kind === 'kept') {
      addTo(kept, keptName(storage.tag, line), storage.bytes);
      keptBytes += storage.bytes;
      keptTensors++;
    } else if (kind === 'optimizer' && !sources.optimizerKnown) {
      // Nobody showed us the optimizer: its variables are known by what they were made from.
      const { name } = purposeOf(storage.tag);
      addTo(groups.optimizer, sources.weightNames.get(name) ?? name, storage.bytes);
      held += storage.bytes;
    }
  }
  const facts = replay(storages, owned);
  return {
    ...facts,
    featureMaps: inOrder(facts.featureMaps, sources.layers),
    epoch,
    iteration,
    weights: groups.weight,
    buffers: groups.buffer,
    optimizer: groups.optimizer,
    gradients: gradientOf,
    kept,
    keptTensors,
    other: Math.max(0, storages.bytes - held - keptBytes),
    live: storages.bytes,
    mostLive: storages.mostBytes,
    resident: process.memoryUsage.rss(),
    mostResident: process.resourceUsage().maxRSS * 1024,
    device: place.toLowerCase(),
    tensors: engine.state.numTensors,
  };
}

function addTo(sums: Map<string, number>, name: string, bytes: number): void {
  sums.set(name, (sums.get(name) ?? 0) + bytes);
}

/** As the layers come, those that are not the model's own last. */
function inOrder(sums: ByName, layers: readonly string[]): ByName {
  const own = layers.filter((name) => sums.has(name));
  const others = [...sums.keys()].filter((name) => !layers.includes(name)).sort();
  const last = others.filter((name) => name === '');
  const names = [...own, ...others.filter((name) => name !== ''), ...last];
  return new Map(names.map((name) => [name, sums.get(name)!]));
}

/** `conv1 at train.js:12`, `train.js:12`, `conv1`; at worst the operation. */
function keptName(tag: string, line: string | null): string {
  const { name, kind } = purposeOf(tag);
  const what = kind === 'gradient' ? `gradient of ${name}` : name;
  if (line) return what ? `${what} at ${line}` : line;
  return what || /@(.+)$/.exec(tag)?.[1] || tag;
}

export const sumOf = (sums: ByName) => [...sums.values()].reduce((sum, bytes) => sum + bytes, 0);
