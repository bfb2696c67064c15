import { EMPTY_STACK, NO_ID } from '../../../../model/allocations/actions.ts';
import type { MapData } from './data.ts';
import { eventNumber, xAxisOf } from './x-axis.ts';

/** What the columns alone tell of an allocation, at once and without a server. */
export interface RowFacts {
  readonly row: number;
  readonly bytes: number;
  readonly category: string;
  readonly part: string | null;
  readonly reason: string;
  readonly confidence: number;
  readonly tag: string | null;
  readonly pool: string;
  readonly address: string;
  /** Innermost first, as text. */
  readonly frames: readonly string[];
  readonly where: string;
  /** Positions in the trace; null: before its start, after its end. */
  readonly startEvent: number | null;
  readonly endEvent: number | null;
  readonly startMicros: number | null;
  readonly endMicros: number | null;
}

export function rowFacts(data: MapData, row: number): RowFacts | null {
  if (!(row >= 0 && row < data.rows)) return null;
  const { header, start, end, size, reason, tag, pool, stack } = data;
  const why = header.reasons[reason[row]!]!;
  const frames = stackFrames(data, stack[row]!);
  const [from, to] = [start[row]!, end[row]!];
  const { at } = xAxisOf(data, 'time');
  const timed = data.micros !== null;
  return {
    row,
    bytes: size[row]!,
    category: why.category,
    part: why.part,
    reason: why.text,
    confidence: why.confidence,
    tag: (tag && header.tags[tag[row]!]) || null,
    pool: header.pools[pool[row]!] ?? '',
    address: addressOf(data, row),
    frames,
    where: where(stack[row]!, frames),
    startEvent: from < 0 ? null : eventNumber(data, from),
    endEvent: to >= header.events ? null : eventNumber(data, to),
    startMicros: timed && from >= 0 ? at(from) : null,
    endMicros: timed && to < header.events ? at(to) : null,
  };
}

function stackFrames({ header, stackParent, stackFrame }: MapData, stack: number): string[] {
  const found: string[] = [];
  if (stack >= stackParent.length) return found;
  for (let node = stack; ; node = stackParent[node]!) {
    found.push(header.frames[stackFrame[node]!] ?? '');
    if (stackParent[node]! >= node) return found;
  }
}

/** The innermost line of the reader's own program, else of any Python file. */
function where(stack: number, frames: readonly string[]): string {
  if (stack === NO_ID) return 'no stack was recorded';
  if (stack === EMPTY_STACK) return "autograd's thread (no Python frame)";
  const python = frames.filter((frame) => /\.py:\d+\)$/.test(frame));
  const own = python.find((frame) => !/site-packages|dist-packages|\/torch\//.test(frame));
  return own ?? python[0] ?? frames[0] ?? '';
}

function addressOf({ header, offset, place }: MapData, row: number): string {
  const at = offset[place[row]!]!;
  const stretch = header.stretches.findLast((one) => one.offset <= at);
  return stretch ? `0x${(stretch.address + at - stretch.offset).toString(16)}` : '';
}
