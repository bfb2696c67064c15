/** Bytes of a tensor, or of several that share them. */
export interface Storage {
  readonly bytes: number;
  readonly place: 'CPU' | 'GPU';
  tag: string;
  /** What it was called in its line: the tag may change until then, and its release must agree. */
  written?: string;
}

/** Who hears of allocations. A storage's tag may still change after that. */
export interface StorageListener {
  add(verb: 'Allocate' | 'Release', storage: Storage): void;
}

/** What an allocation is for is often known a few steps after it: so many events wait for that. */
const WAITING = 256;

/** Writes a line each event, in their order, a little late. */
export class Lines implements StorageListener {
  readonly #write: (text: string) => void;
  #events: { verb: 'Allocate' | 'Release'; storage: Storage }[] = [];
  #scheduled = false;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(verb: 'Allocate' | 'Release', storage: Storage): void {
    this.#events.push({ verb, storage });
    if (this.#events.length >= WAITING) this.flush(WAITING / 2);
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A program that waits has nothing to add; and this must not keep it from ending.
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    }).unref();
  }

  flush(most = this.#events.length): void {
    const text = this.#events.slice(0, most).map(({ verb, storage }) => lineOf(verb, storage));
    this.#events = this.#events.slice(most);
    if (text.length > 0) this.#write(text.join(''));
  }
}

function lineOf(verb: string, storage: Storage): string {
  storage.written ??= storage.tag.replace(/[\s()]+/g, '_');
  return `[mem] ${verb} ${storage.bytes} bytes ${storage.place} memory (${storage.written}).\n`;
}
