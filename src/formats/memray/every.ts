import { FormatError } from '../../base/errors.ts';
import { NO_ID } from '../../model/allocations/actions.ts';
import { SitesAtPeak } from '../heap-profile/sites-at-peak.ts';
import type { HeapProfileWriter } from '../heap-profile/writer.ts';
import type { Bytes } from './bytes.ts';
import { type Definitions, isDefinition } from './definitions.ts';
import type { Header } from './header.ts';
import { allocatorOf } from './kinds.ts';
import { LiveBlocks } from './live.ts';
import type { Stacks } from './stacks.ts';

/** The highest of such bits says what a record is, those below are flags of it. */
const ALLOCATION = 0x80;
const PUSH = 0x40;
const OBJECT = 0x20;
const POP = 0x10;
const RSS = 2;
/** Addresses that were named last have a number of their own. */
const RECENT = 15;

interface Thread {
  /** Stacks from the outermost call on. */
  readonly stack: number[];
  /** Calls of memray itself that are still to come. */
  skip: number;
}

/** Records of every allocation and free, among calls and returns of each thread. */
export class EveryAllocation {
  readonly #bytes: Bytes;
  readonly #header: Header;
  readonly #stacks: Stacks;
  readonly #definitions: Definitions;
  readonly #threads = new Map<number, Thread>();
  #thread: Thread | null = null;
  readonly #recent: number[] = new Array(RECENT).fill(0);
  #address = 0;
  readonly #sites = new SitesAtPeak(true);
  readonly #siteIds = new Map<string, number>();
  readonly #sitesOf: { stack: number; kind: string; bytes: number; objects: number }[] = [];
  readonly #live = new LiveBlocks((site, bytes, objects) => {
    this.#sites.change(site, bytes, objects);
  });

  constructor(bytes: Bytes, header: Header, stacks: Stacks, definitions: Definitions) {
    this.#bytes = bytes;
    this.#header = header;
    this.#stacks = stacks;
    this.#definitions = definitions;
  }

  record(type: number): void {
    const bytes = this.#bytes;
    if (type & ALLOCATION) this.#allocation(type & 0x7f);
    else if (type & PUSH) this.#push();
    else if (type & OBJECT) this.#object(type & 0x1f);
    else if (type & POP) this.#pop((type & 0x0f) + 1);
    else if (type === RSS) {
      bytes.varint();
      bytes.varint();
    } else if (isDefinition(type)) {
      const thread = this.#definitions.read(type);
      if (thread !== null) this.#switch(thread);
    } else throw bytes.refusal(`has a record of an unknown kind (${type})`);
  }

  write(writer: HeapProfileWriter): void {
    const { peakBytes, peakObjects, bytes, objects } = this.#sites;
    for (const [site, { stack, kind, ...made }] of this.#sitesOf.entries()) {
      writer.add(stack, {
        kind,
        bytes: peakBytes[site]!,
        objects: peakObjects[site]!,
        allocatedBytes: made.bytes,
        allocatedObjects: made.objects,
        leftBytes: bytes[site]!,
        leftObjects: objects[site]!,
      });
    }
  }

  #switch(id: number): void {
    const { mainThread, skipped } = this.#header;
    const known = this.#threads.get(id) ?? { stack: [], skip: id === mainThread ? skipped : 0 };
    this.#threads.set(id, known);
    this.#thread = known;
  }

  #push(): void {
    const [code, instruction] = [this.#bytes.varint(), this.#bytes.signed()];
    const { stack, skip } = this.#current();
    const isOwn = stack.length < skip;
    stack.push(isOwn ? NO_ID : this.#stacks.called(stack.at(-1) ?? NO_ID, code, instruction));
  }

  #pop(count: number): void {
    const { stack } = this.#current();
    if (count > stack.length) throw this.#bytes.refusal('returns from a call that never was');
    stack.length -= count;
  }

  #current(): Thread {
    if (!this.#thread) throw this.#bytes.refusal('has a call of no thread');
    return this.#thread;
  }

  #allocation(flags: number): void {
    const bytes = this.#bytes;
    const address = this.#pointer(flags >> 3);
    const id = flags & 7 || bytes.byte();
    const allocator = allocatorOf(id);
    if (!allocator) throw bytes.refusal(`calls an unknown allocator (${id})`);
    if (this.#header.native && allocator.call !== 'freed') bytes.signed();
    const size = allocator.call === 'freed' ? 0 : bytes.varint();
    switch (allocator.call) {
      case 'made':
        this.#live.made(address, size, this.#site(allocator.kind, size));
        return;
      case 'mapped':
        this.#live.mapped(address, size, this.#site(allocator.kind, size));
        return;
      case 'freed':
        this.#live.freed(address);
        return;
      case 'unmapped':
        this.#live.unmapped(address, size);
    }
  }

  /** Lives of objects are among the records where they were asked for; they are counted as allocations already. */
  #object(flags: number): void {
    this.#pointer(flags >> 1);
    if (this.#header.native && flags & 1) this.#bytes.signed();
  }

  #pointer(index: number): number {
    const recent = this.#recent[index & 0x0f];
    if (recent !== undefined) return recent;
    this.#address += this.#bytes.signed();
    const address = this.#address * 8;
    this.#recent.pop();
    this.#recent.unshift(address);
    return address;
  }

  #site(kind: string, bytes: number): number {
    const stack = this.#current().stack.at(-1) ?? NO_ID;
    const key = `${stack} ${kind}`;
    let site = this.#siteIds.get(key);
    if (site === undefined) {
      site = this.#sitesOf.push({ stack, kind, bytes: 0, objects: 0 }) - 1;
      this.#siteIds.set(key, site);
    }
    const of = this.#sitesOf[site]!;
    of.bytes += bytes;
    of.objects++;
    if (!Number.isSafeInteger(of.bytes)) throw new FormatError('has sizes beyond all memory');
    return site;
  }
}
