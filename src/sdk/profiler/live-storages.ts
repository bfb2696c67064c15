import { programLine, whereNow } from '../program-line.ts';
import type { Storage, StorageListener } from '../tags/lines.ts';
import { isBackward } from './purpose.ts';

/** A storage that is live, or was in this iteration. */
export interface StorageEntry {
  readonly storage: Storage;
  /** The iteration in which it was made, over all epochs. */
  readonly born: number;
  /** As it was when it was made; `storage.tag` may have changed since. */
  readonly firstTag: string;
  where: Error | null;
  /** The line of the program, once it was asked for. */
  line: string | null;
}

/** `forward-end`: what is live now is what the backward pass needs. */
export type StorageEvent =
  | { readonly verb: 'made' | 'gone'; readonly entry: StorageEntry }
  | { readonly verb: 'forward-end' };

/** Events of one iteration that are kept; a longer one (an evaluation in between) begins anew. */
const MOST_EVENTS = 200_000;
/** In the first iteration all lines are looked at, later those of tensors that are known to stay. */
const MOST_LINES = 5000;

/** All storages of the engine that are live, and what came and went in this iteration. */
export class LiveStorages implements StorageListener {
  readonly live = new Map<Storage, StorageEntry>();
  readonly #suspects = new Set<string>();
  #events: StorageEvent[] = [];
  #iteration = 1;
  #linesLeft = MOST_LINES;
  #backward = false;
  /** Bytes live now, and the most that ever were. */
  bytes = 0;
  mostBytes = 0;

  get events(): readonly StorageEvent[] {
    return this.#events;
  }

  add(verb: 'Allocate' | 'Release', storage: Storage): void {
    if (this.#events.length >= MOST_EVENTS) this.#events = [];
    if (verb === 'Allocate') this.#made(storage);
    else this.#gone(storage);
  }

  /** Made before this iteration, and still there. */
  isOld({ born }: StorageEntry): boolean {
    return born < this.#iteration;
  }

  /** Notes which tensors outlived this iteration: from now on their lines are looked at. */
  nextIteration(): void {
    for (const entry of this.live.values()) {
      if (entry.born !== this.#iteration) continue;
      if (entry.where) entry.line = programLine(entry.where);
      // An error holds the objects that were at work.
      entry.where = null;
      this.#suspects.add(entry.firstTag);
    }
    this.#events = [];
    this.#linesLeft = MOST_LINES;
    this.#backward = false;
    this.#iteration++;
  }

  #made(storage: Storage): void {
    const { tag, bytes } = storage;
    const backward = isBackward(tag);
    if (backward && !this.#backward) this.#events.push({ verb: 'forward-end' });
    this.#backward = backward;
    const looked = this.#linesLeft > 0 && (this.#iteration === 1 || this.#suspects.has(tag));
    if (looked) this.#linesLeft--;
    const where = looked ? whereNow() : null;
    const entry: StorageEntry = {
      storage,
      born: this.#iteration,
      firstTag: tag,
      where,
      line: null,
    };
    this.live.set(storage, entry);
    this.#events.push({ verb: 'made', entry });
    this.bytes += bytes;
    this.mostBytes = Math.max(this.mostBytes, this.bytes);
  }

  #gone(storage: Storage): void {
    const entry = this.live.get(storage);
    if (!entry) return;
    this.live.delete(storage);
    entry.where = null;
    this.#events.push({ verb: 'gone', entry });
    this.bytes -= storage.bytes;
  }
}
