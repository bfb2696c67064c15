import { createRequire } from 'node:module';
import { watchEngine, watchLayers } from './tags/hooks.ts';
import { Lines } from './tags/lines.ts';
import type { Tagger } from './tags/tagger.ts';
import { type Engine, layerBase, whenEngine } from './tags/tfjs.ts';

/** What ends the logging that goes on. */
let current: (() => void) | null = null;

/**
 * Writes a line to stderr for each allocation and release of a TensorFlow.js tensor, tagged by layer
 * and kind, for `highwater analyze` (docs/analyze.md). `tf` is the module that the program uses and
 * may be left out; any model of it makes sure that layers are known by name. Returns what ends it;
 * asked for twice, it is still one line an event.
 */
export function logAllocations(
  tf?: { engine(): unknown } | null,
  model?: { readonly layers: readonly object[] } | null,
): () => void {
  if (current) return current;
  const lines = new Lines((text) => process.stderr.write(text));
  const endings = [() => lines.flush()];
  const stop = () => {
    current = null;
    for (const end of endings.splice(0).reverse()) end();
  };
  current = stop;
  const watch = (engine: Engine) => {
    const { tagger, stop: release } = watchEngine(engine, lines);
    endings.push(release, nameLayers(tagger, model?.layers[0] ?? null));
  };
  // At the very end: events wait for a moment before they are written.
  process.once('exit', stop);
  endings.push(() => process.off('exit', stop));
  if (tf) watch(tf.engine() as Engine);
  else whenEngine(watch);
  return stop;
}

/** How many operations may run before it is clear that the program has no layers. */
const TRIES = 5000;

/** Watches the layers once their class is known: from a model, or when the library is loaded. */
function nameLayers(tagger: Tagger, layer: object | null): () => void {
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

/** `HIGHWATER_TAGS=1` asks for the lines without a change to the program. */
if (/^(1|true|yes|on)$/i.test(process.env.HIGHWATER_TAGS ?? '')) logAllocations();
