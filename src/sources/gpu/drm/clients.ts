import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { SECOND_NS } from '../../../base/time.ts';
import {
  type HeldFile,
  numberAt,
  openOrNull,
  type ProcStat,
  readStat,
  readText,
} from '../../proc.ts';
import type { Machine } from '../../source.ts';
import type { DrmCard } from './card.ts';
import { nodesOf } from './devices.ts';
import { type Client, parseClient } from './fdinfo.ts';
import { type Clocks, type Looked, TURN_NS, Turns } from './turns.ts';

const DEVICE_FILES = '/dev/dri/';
/** More than a real one has; what a hostile one has beyond is not read. */
const TEXT_BYTES = 16_384;
/** Where more came than this, /proc is listed: that costs as much as looks at a hundred processes. */
const MOST_BIRTHS = 32;
/** So often at most. */
const ENUMERATE_NS = 0.2 * SECOND_NS;
/** Descriptors are listed again where their number changed, and anyhow after this time: one may have taken another's place. */
const LIST_NS = 10 * SECOND_NS;
/** Where the kernel tells no number of descriptors (before 6.2). */
const BLIND_LIST_NS = SECOND_NS;
const NEVER = Number.NEGATIVE_INFINITY;

/** An open graphics device of a process. */
interface Descriptor {
  /** PID/NUMBER */
  readonly own: string;
  readonly path: string;
  /** Null: opened for each look, as more may not be held open. */
  readonly file: HeldFile | null;
  /** Of the device file that it was opened by. */
  readonly node: string;
  /** As it was read last: what did not change is not taken apart again. */
  text: Buffer;
  card: DrmCard | null;
  /** The client's number, or what tells the descriptor from all others where it has none. */
  client: string;
  bytes: number;
  /** The first of its client on its card. */
  counts: boolean;
}

class Watched implements Looked {
  readonly pid: number;
  readonly ours: boolean;
  readonly descriptors = new Map<string, Descriptor>();
  /** How many it had open when they were listed; NaN: may not be looked into. */
  count = -1;
  listed = NEVER;
  moved = NEVER;

  constructor(pid: number, ours: boolean) {
    this.pid = pid;
    this.ours = ours;
  }
}

/**
 * Who holds memory on which card, by what the kernel says of open device files. A client counts once, however many
 * descriptors and processes share it: for the process that was there first.
 */
export class Clients {
  readonly #proc: string;
  readonly #own: number;
  readonly #byPci: ReadonlyMap<string, DrmCard>;
  readonly #byNode: ReadonlyMap<string, DrmCard>;
  readonly #buffer = Buffer.alloc(TEXT_BYTES);
  readonly #loadBuffer = Buffer.alloc(256);
  readonly #loadavg: HeldFile | null;
  readonly #schedule: HeldFile | null;
  readonly #mostHeld: number;
  #held = 0;
  /** In the order in which they came. */
  readonly #processes = new Map<number, Watched>();
  readonly #turns: Turns<Watched>;
  #enumerated = NEVER;
  #newestPid = Number.NaN;
  /** Descriptors came or went, or became another client's: who counts them is found anew. */
  #stale = true;
  /** Those whose bytes alone are others. */
  readonly #moved = new Set<Watched>();
  readonly #sums = new Map<DrmCard, Map<number, number>>();

  /** `own` is the recorder's pid. */
  constructor({ proc }: Machine, cards: readonly DrmCard[], own = process.pid, clocks?: Clocks) {
    this.#proc = proc;
    // Opened in the thread that will read it.
    this.#schedule = openOrNull(`${proc}/thread-self/schedstat`, this.#loadBuffer);
    this.#turns = new Turns(
      (process, time) => this.#lookAt(process, time),
      clocks ?? this.#clocks(),
    );
    this.#own = own;
    this.#byPci = new Map(cards.map((card) => [card.device.pci, card]));
    this.#byNode = new Map(
      cards.flatMap((card) => nodesOf(card.device).map((node) => [node, card])),
    );
    this.#loadavg = openOrNull(`${proc}/loadavg`, this.#loadBuffer);
    this.#mostHeld = fileLimit(proc) / 4;
  }

  /** How many processes there are. */
  get processes(): number {
    return this.#processes.size;
  }

  /** How many processes may not be looked into. */
  get denied(): number {
    return [...this.#processes.values()].filter(({ count }) => Number.isNaN(count)).length;
  }

  /** Reads what may have changed since the last look. */
  look(time: number): void {
    const first = this.#enumerated === NEVER;
    this.#enumerate(time);
    if (first) this.#turns.lookAtAll(time);
    else this.#turns.lookAround(time);
  }

  /** Bytes by pid; NaN where this kernel does not tell how much. */
  on(card: DrmCard): ReadonlyMap<number, number> {
    if (this.#stale) this.#sumAll();
    else for (const process of this.#moved) this.#sum(process);
    this.#moved.clear();
    return this.#sums.get(card) ?? new Map();
  }

  close(): void {
    for (const process of this.#processes.values()) this.#letGo(process);
    this.#loadavg?.close();
    this.#schedule?.close();
  }

  #clocks(): Clocks {
    return {
      passed: () => performance.now(),
      processor: () => {
        const length = this.#schedule?.read() ?? -1;
        return length > 0 ? numberAt(this.#loadBuffer, 0, length) / 1e6 : Number.NaN;
      },
    };
  }

  #enumerate(time: number): void {
    const newest = this.#readNewestPid();
    const since = time - this.#enumerated;
    if (newest === this.#newestPid && since < TURN_NS) return;
    const births = newest - this.#newestPid;
    if (since < TURN_NS && births > 0 && births <= MOST_BIRTHS) {
      for (let pid = this.#newestPid + 1; pid <= newest; pid++) this.#meet(pid);
      this.#newestPid = newest;
      return;
    }
    if (since < ENUMERATE_NS) return;
    this.#newestPid = newest;
    this.#enumerated = time;
    const gone = new Set(this.#processes.keys());
    for (const name of readdirSync(this.#proc)) {
      const pid = Number(name);
      if (!(pid > 0) || gone.delete(pid)) continue;
      this.#add(pid, readStat(this.#proc, pid));
    }
    for (const pid of gone) {
      const process = this.#processes.get(pid)!;
      this.#letGo(process);
      this.#processes.delete(pid);
      this.#turns.remove(process);
    }
  }

  /** One that may have come; most of these numbers are threads, which /proc does not list. */
  #meet(pid: number): void {
    if (this.#processes.has(pid)) return;
    const stat = readStat(this.#proc, pid);
    if (stat && !stat.isThread) this.#add(pid, stat);
  }

  #add(pid: number, stat: ProcStat | null): void {
    const parent = stat?.ppid;
    const isOurs =
      pid === this.#own ||
      parent === this.#own ||
      (parent !== undefined && this.#processes.get(parent)?.ours === true);
    const process = new Watched(pid, isOurs);
    this.#processes.set(pid, process);
    this.#turns.add(process);
  }

  #readNewestPid(): number {
    const length = this.#loadavg?.read() ?? -1;
    if (length <= 0) return Number.NaN; // unequal to itself: then each look lists them all
    return numberAt(this.#loadBuffer, this.#loadBuffer.lastIndexOf(' ', length - 1), length);
  }

  #lookAt(process: Watched, time: number): void {
    if (this.#mayHaveOthers(process, time)) this.#list(process, time);
    for (const descriptor of process.descriptors.values()) {
      if (!this.#read(descriptor)) {
        process.listed = NEVER; // closed: perhaps another took its number
        this.#stale ||= descriptor.card !== null; // another of its client counts instead
        descriptor.card = null;
        descriptor.text = Buffer.alloc(0);
      } else if (this.#changed) {
        process.moved = time;
        this.#moved.add(process);
      }
    }
  }

  #mayHaveOthers(process: Watched, time: number): boolean {
    const since = time - process.listed;
    if (since >= LIST_NS) return true;
    if (Number.isNaN(process.count)) return false;
    const count = this.#count(process.pid);
    return count === 0 ? since >= BLIND_LIST_NS : count !== process.count;
  }

  /** How many descriptors it has; 0 where the kernel does not tell. */
  #count(pid: number): number {
    return statSync(`${this.#proc}/${pid}/fd`, { throwIfNoEntry: false })?.size ?? 0;
  }

  #list(process: Watched, time: number): void {
    const folder = `${this.#proc}/${process.pid}`;
    process.listed = time;
    let numbers: string[];
    try {
      process.count = this.#count(process.pid);
      numbers = readdirSync(`${folder}/fd`);
    } catch {
      process.count = Number.NaN; // somebody else's, or gone
      numbers = [];
    }
    const closed = new Set(process.descriptors.keys());
    for (const number of numbers) {
      const node = this.#deviceOf(`${folder}/fd/${number}`);
      if (node === null) continue;
      if (closed.delete(number) && process.descriptors.get(number)!.node === node) continue;
      this.#drop(process, number);
      this.#take(process, number, node);
    }
    for (const number of closed) this.#drop(process, number);
  }

  /** Which device file a descriptor is; null where it is another file. */
  #deviceOf(link: string): string | null {
    try {
      const target = readlinkSync(link);
      return target.startsWith(DEVICE_FILES) ? target.slice(DEVICE_FILES.length) : null;
    } catch {
      return null; // closed in the meantime
    }
  }

  #take(process: Watched, number: string, node: string): void {
    const path = `${this.#proc}/${process.pid}/fdinfo/${number}`;
    const opened = openOrNull(path, this.#buffer);
    if (!opened) return;
    // Room is left for the recorder's own files.
    const file = this.#held < this.#mostHeld ? opened : null;
    if (file) this.#held++;
    else opened.close();
    const text = Buffer.alloc(0);
    process.descriptors.set(number, {
      own: `${process.pid}/${number}`,
      path,
      file,
      node,
      text,
      card: null,
      client: '',
      bytes: 0,
      counts: false,
    });
  }

  #drop(process: Watched, number: string): void {
    const descriptor = process.descriptors.get(number);
    if (!descriptor) return;
    if (descriptor.file) {
      descriptor.file.close();
      this.#held--;
    }
    process.descriptors.delete(number);
    this.#stale = true;
  }

  #letGo(process: Watched): void {
    for (const number of [...process.descriptors.keys()]) this.#drop(process, number);
  }

  /** Whether what was read last is other memory than before. */
  #changed = false;

  /** False where it is not open any more. */
  #read(descriptor: Descriptor): boolean {
    this.#changed = false;
    const length = this.#lengthOf(descriptor);
    if (length < 0) return false;
    const { text } = descriptor;
    if (text.length === length && this.#buffer.compare(text, 0, length, 0, length) === 0) {
      return true;
    }
    if (text.length === length) this.#buffer.copy(text, 0, 0, length);
    else descriptor.text = Buffer.from(this.#buffer.subarray(0, length));
    this.#interpret(descriptor, parseClient(this.#buffer.toString('latin1', 0, length)));
    return true;
  }

  /** Of its text in the buffer; −1 where it is not open any more. */
  #lengthOf({ file, path }: Descriptor): number {
    if (file) return file.read();
    const opened = openOrNull(path, this.#buffer);
    const length = opened?.read() ?? -1;
    opened?.close();
    return length;
  }

  #interpret(descriptor: Descriptor, { pci, id, regions }: Client): void {
    const card = (pci ? this.#byPci.get(pci) : this.#byNode.get(descriptor.node)) ?? null;
    const bytes = card ? card.opened.held(regions) : 0;
    this.#changed = !Object.is(bytes, descriptor.bytes);
    const client = id ?? descriptor.own;
    this.#stale ||= card !== descriptor.card || client !== descriptor.client;
    descriptor.card = card;
    descriptor.client = client;
    descriptor.bytes = bytes;
  }

  #sumAll(): void {
    this.#stale = false;
    this.#sums.clear();
    const seen = new Map<DrmCard, Set<string>>();
    for (const process of this.#processes.values()) {
      for (const descriptor of process.descriptors.values()) {
        const { card, client } = descriptor;
        descriptor.counts = false;
        if (!card) continue;
        const clients = seen.get(card) ?? new Set();
        seen.set(card, clients);
        descriptor.counts = !clients.has(client);
        clients.add(client);
      }
      this.#sum(process);
    }
  }

  #sum({ pid, descriptors }: Watched): void {
    for (const sums of this.#sums.values()) sums.delete(pid);
    for (const { card, counts, bytes } of descriptors.values()) {
      if (!card || !counts || bytes === 0) continue;
      const sums = this.#sums.get(card) ?? new Map<number, number>();
      this.#sums.set(card, sums);
      sums.set(pid, plus(sums.get(pid), bytes));
    }
  }
}

/** What is known of a process counts, though another of its clients tells nothing. */
function plus(sum: number | undefined, bytes: number): number {
  if (sum === undefined || Number.isNaN(sum)) return bytes;
  return sum + (bytes || 0);
}

/** How many files this process may have open. */
function fileLimit(proc: string): number {
  const line = /^Max open files\s+(\d+)/m.exec(readText(`${proc}/self/limits`) ?? '');
  return Number(line?.[1] ?? 1024);
}
