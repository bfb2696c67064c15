import { nameLayers, watchEngine } from './hooks.ts';
import type { StorageListener } from './lines.ts';
import type { Tagger } from './tagger.ts';
import type { Engine } from './tfjs.ts';

interface Watch {
  readonly engine: Engine;
  readonly tagger: Tagger;
  readonly listeners: Set<StorageListener>;
  end(): void;
}

let current: Watch | null = null;

/**
 * Tells a listener of every storage, the weights that are there already first. However many listen,
 * the engine is watched once: hooks upon hooks could not be taken away in any order.
 */
export function listen(
  engine: Engine,
  listener: StorageListener,
  layer: object | null,
): { tagger: Tagger; stop: () => void } {
  if (current?.engine === engine) introduce(current, listener);
  else current = open(engine, listener, layer);
  const watch = current;
  watch.listeners.add(listener);
  const stop = () => {
    watch.listeners.delete(listener);
    if (watch.listeners.size > 0 || current !== watch) return;
    current = null;
    watch.end();
  };
  return { tagger: watch.tagger, stop };
}

function open(engine: Engine, first: StorageListener, layer: object | null): Watch {
  const listeners = new Set<StorageListener>([first]);
  const { tagger, stop } = watchEngine(engine, {
    add(verb, storage) {
      for (const one of listeners) one.add(verb, storage);
    },
  });
  const forgetLayers = nameLayers(tagger, layer);
  return {
    engine,
    tagger,
    listeners,
    end() {
      forgetLayers();
      stop();
    },
  };
}

/** One that comes later hears of the variables that there are, as the first did. */
function introduce({ engine, tagger }: Watch, listener: StorageListener): void {
  for (const variable of Object.values(engine.state.registeredVariables)) {
    const storage = tagger.storageOf(variable);
    if (storage) listener.add('Allocate', storage);
  }
}
