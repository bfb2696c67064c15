import { Lines } from './lines.ts';
import { type Engine, whenEngine } from './tfjs.ts';
import { listen } from './watch.ts';

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
    endings.push(listen(engine, lines, model?.layers[0] ?? null).stop);
  };
  // At the very end: events wait for a moment before they are written.
  process.once('exit', stop);
  endings.push(() => process.off('exit', stop));
  if (tf) watch(tf.engine() as Engine);
  else whenEngine(watch);
  return stop;
}

/** `HIGHWATER_TAGS=1` asks for the lines without a change to the program. */
if (/^(1|true|yes|on)$/i.test(process.env.HIGHWATER_TAGS ?? '')) logAllocations();
