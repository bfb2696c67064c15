import { lastUpTo } from '../../../../base/search.ts';
import type { MapData } from './data.ts';

/**
 * Who is live at a moment, in the order of allocation: what was there before the trace first. Lists
 * are kept at moments that are as far apart as they are long, so that all of them together are
 * never much longer than the trace, and any moment is a short walk from one of them.
 */
export class LiveIndex {
  readonly #data: MapData;
  readonly #events: number[] = [];
  readonly #lists: Uint32Array[] = [];
  readonly #next: number[] = [];

  constructor(data: MapData) {
    this.#data = data;
    const { rows, start, header } = data;
    let list: Uint32Array = Uint32Array.from(
      { length: rows - header.allocs },
      (_, i) => header.allocs + i,
    );
    this.#keep(-1, list, 0);
    const walk = new LiveWalk(data, null, list, 0);
    for (let row = 0, since = 0; row < header.allocs; row++, since++) {
      if (since < Math.max(CLOSEST, list.length)) continue;
      walk.to(start[row]!);
      list = walk.rows();
      this.#keep(start[row]!, list, walk.next);
      since = 0;
    }
  }

  #keep(event: number, list: Uint32Array, next: number): void {
    this.#events.push(event);
    this.#lists.push(list);
    this.#next.push(next);
  }

  /** A walk through time that stands at an event, with those rows alone that `shown` marks. */
  walkFrom(event: number, shown: Uint8Array | null): LiveWalk {
    const at = Math.max(0, lastUpTo(this.#events, event));
    const walk = new LiveWalk(this.#data, shown, this.#lists[at]!, this.#next[at]!);
    walk.to(event);
    return walk;
  }
}

const CLOSEST = 4096;

/** Goes forward only. */
export class LiveWalk {
  /** Live rows in order; the first `count` of it. */
  list: Uint32Array;
  count = 0;
  /** The first of the trace's own rows that has not begun. */
  next: number;
  readonly #data: MapData;
  readonly #shown: Uint8Array | null;

  constructor(data: MapData, shown: Uint8Array | null, from: Uint32Array, next: number) {
    this.#data = data;
    this.#shown = shown;
    this.next = next;
    this.list = new Uint32Array(Math.max(1024, 2 * from.length));
    for (const row of from) if (!shown || shown[row] === 1) this.list[this.count++] = row;
  }

  to(event: number): void {
    const { start, end, header } = this.#data;
    const shown = this.#shown;
    let list = this.list;
    let count = 0;
    for (let i = 0; i < this.count; i++) {
      const row = list[i]!;
      if (end[row]! > event) list[count++] = row;
    }
    let next = this.next;
    for (; next < header.allocs && start[next]! <= event; next++) {
      if (end[next]! <= event || (shown && shown[next] === 0)) continue;
      if (count === list.length) {
        list = new Uint32Array(2 * count);
        list.set(this.list);
        this.list = list;
      }
      list[count++] = next;
    }
    this.next = next;
    this.count = count;
  }

  rows(): Uint32Array {
    return this.list.slice(0, this.count);
  }
}
