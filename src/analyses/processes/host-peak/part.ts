/** One part of a process: resident bytes, and the largest of what they are. */
export interface HostPart {
  readonly what: HostPartName;
  readonly bytes: number;
  /** The kernel's list of mappings, or the process itself. */
  readonly from: 'mappings' | 'agent';
  /** Of the process's own word: how many seconds after the list of mappings it was. */
  readonly secondsOff: number | null;
  readonly of: readonly { readonly name: string; readonly bytes: number }[];
}

export type HostPartName =
  | 'libraries'
  | 'mapped files'
  | 'shared memory'
  | 'pinned memory'
  | 'device mappings'
  | 'thread stacks'
  | 'parameters'
  | 'gradients'
  | 'optimizer state'
  | 'caches'
  | 'tensors'
  | 'arrays and containers'
  | 'python objects'
  | 'python free'
  | 'running step'
  | 'malloc in use'
  | 'step or libraries'
  | 'malloc free'
  | 'remainder'
  | 'heap'
  | 'large blocks'
  | 'small blocks';
