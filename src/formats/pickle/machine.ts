import type { Containers } from './containers.ts';
import type { Memory } from './memory.ts';
import type { Objects } from './objects.ts';
import type { Texts } from './texts.ts';
import type { PickleValue } from './values.ts';

/** What opcodes work on. */
export interface PickleMachine {
  readonly memory: Memory;
  readonly containers: Containers;
  readonly objects: Objects;
  readonly texts: Texts;
  /** Bytes to pass over: the content of a `bytes` object. */
  skip: number;
  /** `module.Class` of objects that are nothing but their attributes; null: there are none. */
  readonly inert: ReadonlySet<string> | null;
  /** What the pickle holds, once it is done. */
  result: PickleValue | undefined;
}
