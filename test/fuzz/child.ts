import { random } from '../support/random.ts';
import { mutate } from './mutate.ts';
import type { Target } from './target.ts';
import { targets } from './targets.ts';

/**
 * Runs cases in a process of its own, which the parent can end when one hangs. A case is known by
 * its target and number, so that any can be run again.
 */

export interface CaseRequest {
  readonly target: string;
  readonly seed: number;
  readonly number: number;
}

export interface CaseResult extends CaseRequest {
  readonly failure: string | null;
  readonly ms: number;
  readonly rssBytes: number;
  /** The input, when it failed. */
  readonly label: string;
  readonly bytes: Uint8Array | null;
}

/** The input of a case. */
export function makeCase(target: Target, seed: number, number: number) {
  const next = random(seed * 1_000_003 + number);
  const pick = () => target.seeds[Math.floor(next() * target.seeds.length)]!;
  const { label, bytes } = pick();
  return { label, bytes: mutate(bytes, next, pick().bytes) };
}

if (process.send) {
  const known = new Map(targets().map((target) => [target.id, target]));
  process.on('message', async ({ target: id, seed, number }: CaseRequest) => {
    const target = known.get(id)!;
    const { label, bytes } = makeCase(target, seed, number);
    const start = performance.now();
    let failure: string | null = null;
    try {
      await target.attempt(label, bytes);
    } catch (error) {
      failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    const ms = performance.now() - start;
    const rssBytes = process.memoryUsage.rss();
    const result = { target: id, seed, number, failure, ms, rssBytes, label };
    process.send!({ ...result, bytes: failure ? bytes : null } satisfies CaseResult);
  });
  process.send('ready');
}
