import { closeSync, openSync, writeSync } from 'node:fs';

const FRAME_BYTES = 1 << 16;

/** Opcodes of pickle protocol 4 into a file, in frames, each container and text remembered. */
export class PickleFile {
  readonly #fd: number;
  readonly #buffer = new Uint8Array(2 * FRAME_BYTES);
  readonly #view = new DataView(this.#buffer.buffer);
  #at = 0;
  #bytes = 0;
  #slots = 0;

  constructor(path: string) {
    this.#fd = openSync(path, 'w');
    this.#write(Uint8Array.of(0x80, 4));
  }

  /** Begins a dict; where it is remembered. */
  dict(): number {
    this.#put(0x7d);
    const slot = this.#memoize();
    this.#put(0x28);
    return slot;
  }

  endDict(): void {
    this.#put(0x75);
    if (this.#at > FRAME_BYTES) this.#flush();
  }

  list(): number {
    const slot = this.emptyList();
    this.#put(0x28);
    return slot;
  }

  emptyList(): number {
    this.#put(0x5d);
    return this.#memoize();
  }

  endList(): void {
    this.#put(0x65);
  }

  /** Closes a batch of a list's items and begins the next. */
  nextBatch(): void {
    this.#put(0x65);
    this.#put(0x28);
  }

  text(value: string): number {
    const bytes = new TextEncoder().encode(value);
    this.#put(0x8c);
    this.#put(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
    return this.#memoize();
  }

  get(slot: number): void {
    if (slot < 256) {
      this.#put(0x68);
      this.#put(slot);
    } else {
      this.#put(0x6a);
      this.#view.setUint32(this.#at, slot, true);
      this.#at += 4;
    }
  }

  int(value: number): void {
    if (value < 256) {
      this.#put(0x4b);
      this.#put(value);
    } else if (value < 65536) {
      this.#put(0x4d);
      this.#view.setUint16(this.#at, value, true);
      this.#at += 2;
    } else if (value < 2 ** 31) {
      this.#put(0x4a);
      this.#view.setUint32(this.#at, value, true);
      this.#at += 4;
    } else {
      const length = value < 2 ** 47 ? 6 : 7;
      this.#put(0x8a);
      this.#put(length);
      this.#view.setUint32(this.#at, value % 2 ** 32, true);
      this.#view.setUint32(this.#at + 4, Math.floor(value / 2 ** 32), true);
      this.#at += length;
    }
  }

  /** Writes a value only to have it remembered. */
  throwAway(write: () => number): number {
    const slot = write();
    this.#put(0x30);
    return slot;
  }

  /** Ends the pickle; its size. */
  close(): number {
    this.#put(0x2e);
    this.#flush();
    closeSync(this.#fd);
    return this.#bytes;
  }

  #memoize(): number {
    this.#put(0x94);
    return this.#slots++;
  }

  #put(byte: number): void {
    this.#buffer[this.#at++] = byte;
  }

  #flush(): void {
    const head = new DataView(new ArrayBuffer(9));
    head.setUint8(0, 0x95);
    head.setUint32(1, this.#at, true);
    this.#write(new Uint8Array(head.buffer));
    this.#write(this.#buffer.subarray(0, this.#at));
    this.#at = 0;
  }

  #write(bytes: Uint8Array): void {
    writeSync(this.#fd, bytes);
    this.#bytes += bytes.length;
  }
}
