import type { Summary } from '../../../model/allocations/curve.ts';
import type { Lifetimes } from '../../../model/allocations/lifetimes.ts';
import { stateAt } from '../../../model/allocations/state.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Domains } from './domains.ts';

/** A segment that was there before the trace, with what lay in it. */
export interface StartSegment {
  readonly address: number;
  readonly size: number;
  readonly domain: number;
  readonly isSmall: boolean;
  readonly expandable: boolean;
  /** In the order of addresses. */
  readonly blocks: readonly StartBlock[];
}

export interface StartBlock {
  /** Row of the lifetimes. */
  readonly row: number;
  readonly address: number;
  /** As the snapshot says, where it is still there at the end; 0: not known. */
  readonly size: number;
}

export interface StartLayout {
  readonly segments: readonly StartSegment[];
  readonly reserved: number;
}

const SMALL_SEGMENT = 2 * 2 ** 20;

/** The segments and blocks before the first event, found backward from the final state. */
export function startLayout(
  trace: DeviceTrace,
  life: Lifetimes,
  domains: Domains,
  { startReserved }: Summary,
): StartLayout {
  if (startReserved <= 0 && life.count === life.allocs) return { segments: [], reserved: 0 };
  const state = stateAt(trace, -1);
  const segments = state.regions.map(({ address, size, pool, expandable, blocks }) => ({
    address,
    size,
    domain: domains.of(pool),
    isSmall: isSmall(life, blocks, size),
    expandable,
    blocks: blocks.map((block) => {
      const final = life.blockOf(block.row);
      const known = final >= 0 ? trace.blocks.size[final]! : 0;
      return { row: block.row, address: block.address, size: known };
    }),
  }));
  return { segments, reserved: state.reservedBytes };
}

/** Of the small pool, by what lies in it; an empty one of 2 MiB is of the small pool too. */
function isSmall(life: Lifetimes, blocks: readonly { row: number }[], size: number): boolean {
  if (blocks.length === 0) return size === SMALL_SEGMENT;
  return life.size[blocks[0]!.row]! <= SMALL_SEGMENT / 2;
}
