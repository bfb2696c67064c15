import { createRequire } from 'node:module';
import { watchLayers } from './hooks.ts';
import type { Tagger } from './tagger.ts';
import { layerBase } from './tfjs.ts';

/** How many operations may run before it is clear that the program has no layers. */
const TRIES = 5000;

/** Watches the layers once their class is known: from a model, or when the library is loaded. */
export function nameLayers(tagger: Tagger, layer: object | null): () => void {
  let release: (() => void) | null = null;
  let tries = 0;
  const look = () => {
    const base = layerBase(layer ?? loadedLayer() ?? {});
    if (base) release = watchLayers(base, tagger);
    if (base || ++tries === TRIES) tagger.beforeOperation = null;
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
