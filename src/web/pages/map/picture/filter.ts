import { EMPTY_STACK, NO_ID } from '../../../../model/allocations/actions.ts';
import type { MapData } from './data.ts';
import { xAxisOf } from './x-axis.ts';

/** Which allocations to show; what is left out asks for nothing. */
export interface Filter {
  readonly minBytes?: number;
  readonly maxBytes?: number;
  readonly categories?: readonly string[];
  /** In any frame of the stack, or in the tag; letter case does not matter. */
  readonly text?: string;
  /** µs where the trace has times, else events. */
  readonly minLife?: number;
  readonly maxLife?: number;
  readonly pool?: number;
}

/** 1 for each row that is shown; null: all are. */
export function shownRows(data: MapData, filter: Filter): Uint8Array | null {
  if (Object.values(filter).every((value) => value === undefined)) return null;
  const { rows, size, reason, stack, pool, start, end } = data;
  const kinds = kindsOf(data, filter.categories);
  const words = filter.text === undefined ? null : textMatch(data, filter.text);
  const [minBytes, maxBytes] = [filter.minBytes ?? 0, filter.maxBytes ?? Number.POSITIVE_INFINITY];
  const [minLife, maxLife] = [filter.minLife ?? 0, filter.maxLife ?? Number.POSITIVE_INFINITY];
  const anyLife = filter.minLife === undefined && filter.maxLife === undefined;
  const { at } = xAxisOf(data, data.micros ? 'time' : 'events');
  const shown = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    if (size[row]! < minBytes || size[row]! > maxBytes || kinds[reason[row]!] === 0) continue;
    if (filter.pool !== undefined && pool[row] !== filter.pool) continue;
    if (!anyLife) {
      const life = at(end[row]!) - at(start[row]!);
      if (life < minLife || life > maxLife) continue;
    }
    if (words && !words(stack[row]!, row)) continue;
    shown[row] = 1;
  }
  return shown;
}

function kindsOf({ header }: MapData, wanted: readonly string[] | undefined): Uint8Array {
  return Uint8Array.from(header.reasons, ({ category }) =>
    !wanted || wanted.includes(category) ? 1 : 0,
  );
}

/** Each frame and each tag is looked at once, however many allocations there are. */
function textMatch(data: MapData, text: string): (stack: number, row: number) => boolean {
  const { header, stackParent, stackFrame, tag } = data;
  const word = text.toLowerCase();
  const has = (name: string) => name.toLowerCase().includes(word);
  const frames = Uint8Array.from(header.frames, (name) => (has(name) ? 1 : 0));
  const tags = Uint8Array.from(header.tags, (name) => (has(name) ? 1 : 0));
  const nodes = new Uint8Array(stackParent.length);
  for (let node = 0; node < nodes.length; node++) {
    const parent = stackParent[node]!;
    // A caller comes before those it calls.
    nodes[node] = frames[stackFrame[node]!] || (parent < node ? nodes[parent]! : 0);
  }
  return (stack, row) =>
    (stack !== NO_ID && stack !== EMPTY_STACK && nodes[stack] === 1) ||
    (tag !== null && tags[tag[row]!] === 1);
}
