import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (how?: { readonly type?: 'minor'; readonly execution?: 'sync' }) => void;

const exposed = () => runInNewContext('typeof gc === "function" ? gc : null') as Collect | null;

/** V8's collector, to be called at will; null where V8 does not give it. A program that asked for it itself keeps it, any other does not get to see it. */
export function collector(): Collect | null {
  const own = exposed();
  if (own) return own;
  setFlagsFromString('--expose-gc');
  const collect = exposed();
  setFlagsFromString('--no-expose-gc');
  return collect;
}
