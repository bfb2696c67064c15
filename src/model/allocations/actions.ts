/** Codes of `allocations.action`, in the words of PyTorch's snapshots. */
export const ACTION = {
  alloc: 0,
  free_requested: 1,
  free_completed: 2,
  segment_alloc: 3,
  segment_free: 4,
  segment_map: 5,
  segment_unmap: 6,
  snapshot: 7,
  oom: 8,
  annotate: 9,
  other: 10,
} as const;

export type Action = keyof typeof ACTION;

/** Names by code. */
export const ACTION_NAMES = Object.keys(ACTION) as readonly Action[];

/** Whether an action changes what the allocator has reserved. */
export function isSegmentAction(action: number): boolean {
  return action >= ACTION.segment_alloc && action <= ACTION.segment_unmap;
}

/** In place of a stack, tag or pool: not recorded. */
export const NO_ID = 0xffffffff;
/** In place of a stack: recorded, and without any frame, as in autograd's own threads. */
export const EMPTY_STACK = 0xfffffffe;
/** In place of a device's ordinal: pinned memory of the host. */
export const HOST_DEVICE = 0xffffffff;
/** In place of a device's ordinal: ordinary memory of the host, as a profiler saw it. */
export const CPU_DEVICE = 0xfffffffe;

/** Codes of `segments.kind`. */
export const SEGMENT_KIND = { unknown: 0, small: 1, large: 2 } as const;
/** Codes of `blocks.owner`, in the agent's words: what the program held a block for at the end. */
export const OWNER = {
  untold: 0,
  /** No tensor that the program can reach. */
  nobody: 1,
  /** A tensor that is none of the following. */
  other: 2,
  parameter: 3,
  gradient: 4,
  optimizer_state: 5,
  activation: 6,
} as const;
/** Codes of `blocks.state`. */
export const BLOCK_STATE = { inactive: 0, allocated: 1, pending: 2 } as const;
