import { createRequire } from 'node:module';
import type { StorageListener } from './lines.ts';
import { Tagger } from './tagger.ts';
import {
  type Engine,
  type Layer,
  layerBase,
  type TapeNode,
  type Tensor,
  type Variable,
} from './tfjs.ts';

/** How many operations may run before it is clear that the program has no layers. */
const MOST_LOOKS = 5000;

/** Watches an engine until the returned function is called. What it does itself stays as it was. */
export function watchEngine(
  engine: Engine,
  listener: StorageListener,
): { tagger: Tagger; stop: () => void } {
  const tagger = new Tagger(engine, listener);
  for (const variable of Object.values(engine.state.registeredVariables)) {
    tagger.allocated(variable);
    tagger.becomes(variable);
  }
  const own = engine as unknown as Record<string, unknown>;
  const { trackTensor, removeDataId, incRef, runKernel, addTapeNode } = engine;
  const isThere = (dataId: object) => engine.state.tensorInfo.has(dataId);

  engine.trackTensor = function (tensor, backend) {
    const isNew = !isThere(tensor.dataId);
    trackTensor.call(this, tensor, backend);
    if (isNew) ignoringErrors(() => tagger.allocated(tensor));
  };
  engine.removeDataId = function (dataId, backend) {
    removeDataId.call(this, dataId, backend);
    if (!isThere(dataId)) ignoringErrors(() => tagger.released(dataId));
  };
  engine.incRef = function (tensor, backend) {
    incRef.call(this, tensor, backend);
    ignoringErrors(() => isVariable(tensor) && tagger.becomes(tensor));
  };
  engine.runKernel = function (name, inputs, attrs) {
    const before = tagger.operation;
    ignoringErrors(() => tagger.beforeOperation?.());
    tagger.operation = { name, inputs: tensorsOf(inputs) };
    try {
      return runKernel.call(this, name, inputs, attrs);
    } finally {
      tagger.operation = before;
    }
  };
  engine.addTapeNode = function (name, inputs, ...rest) {
    addTapeNode.call(this, name, inputs, ...rest);
    const node = engine.state.activeTape?.at(-1);
    if (node) ignoringErrors(() => watchGradient(node, inputs, tagger));
  };
  const stop = () => {
    // The methods are the class's again.
    for (const name of ['trackTensor', 'removeDataId', 'incRef', 'runKernel', 'addTapeNode']) {
      delete own[name];
    }
  };
  return { tagger, stop };
}

/** Knows, while the gradient of a step is computed, whose it is. */
function watchGradient(node: TapeNode, inputs: Readonly<Record<string, Tensor>>, tagger: Tagger) {
  const { gradient } = node;
  if (!gradient) return;
  const layer = tagger.currentLayer(tensorsOf(inputs));
  const weights = Object.fromEntries(
    Object.entries(inputs).map(([name, tensor]) => [name, tagger.weightOf(tensor)]),
  );
  const undo = <T>(work: () => T): T => {
    const before = tagger.undoing;
    tagger.undoing = layer;
    try {
      return work();
    } finally {
      tagger.undoing = before;
    }
  };
  node.gradient = (dys) => {
    const gradients = undo(() => gradient(dys));
    return Object.fromEntries(
      Object.entries(gradients).map(([name, compute]) => [
        name,
        () => {
          const result = undo(compute);
          const weight = weights[name];
          if (weight) ignoringErrors(() => tagger.becomesGradient(result, weight));
          return result;
        },
      ]),
    );
  };
}

/** Watches the layers once their class is known: from a model, or when the library is loaded. */
export function nameLayers(tagger: Tagger, layer: object | null): () => void {
  let release: (() => void) | null = null;
  let looks = 0;
  const look = () => {
    const base = layerBase(layer ?? loadedLayer() ?? {});
    if (base) release = watchLayers(base, tagger);
    if (base || ++looks === MOST_LOOKS) tagger.beforeOperation = null;
  };
  // Layers are imported after the engine, if at all, and run operations as soon as they have weights.
  tagger.beforeOperation = look;
  look();
  return () => {
    tagger.beforeOperation = null;
    release?.();
  };
}

/** tfjs-layers is CommonJS in Node: found among the modules that the program has loaded. */
function loadedLayer(): object | null {
  const { cache } = createRequire(import.meta.url);
  for (const path of Object.keys(cache)) {
    if (!/[\\/]tfjs-layers[\\/]dist[\\/][\w.-]+\.js$/.test(path)) continue;
    const exported = cache[path]?.exports as { layers?: { Layer?: { prototype: object } } };
    if (exported?.layers?.Layer) return exported.layers.Layer.prototype;
  }
  return null;
}

/** Knows which layer is at work; for all layers, as they inherit from this one. */
function watchLayers(base: Layer, tagger: Tagger): () => void {
  const { apply } = base;
  base.apply = function (this: Layer, ...args) {
    tagger.layers.push(this.name);
    try {
      return apply.apply(this, args);
    } finally {
      tagger.layers.pop();
    }
  };
  return () => {
    base.apply = apply;
  };
}

const isVariable = (tensor: Tensor): tensor is Variable => 'trainable' in tensor;

const tensorsOf = (inputs: Readonly<Record<string, Tensor | null | undefined>>) =>
  Object.values(inputs).filter((one): one is Tensor => one != null && 'dataId' in one);

/** Whatever goes wrong in here is not the program's business. */
function ignoringErrors(work: () => unknown): void {
  try {
    work();
  } catch {
    // A line is missing.
  }
}
