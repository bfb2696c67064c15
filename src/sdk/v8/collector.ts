import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface How {
  readonly type?: 'minor';
  readonly execution?: 'sync';
}

/** V8's collector, to be called at will. The program's own world does not get to see it. */
export function collector(): (how?: How) => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (how?: How) => void;
  // A program that was started with the flag goes on with it.
  if (!('gc' in globalThis)) setFlagsFromString('--no-expose-gc');
  return collect;
}
