import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { SECOND_NS } from '../../../base/time.ts';
import { type HeldFile, numberAt, openOrNull, readStat, readText } from '../../proc.ts';
import type { Machine } from '../../source.ts';
import type { DrmCard } from './card.ts';
import { nodesOf } from './devices.ts';
import { type Client, parseClient } from './fdinfo.ts';

const DEVICE_FILES = '/dev/dri/';
/** More than a real one has; what a hostile one has beyond is not read. */
const TEXT_BYTES = 16_384;
/** Processes of others are looked at in turns, all of them in this time; ours each time. */
const TURN_NS = SECOND_NS;
/** One whose memory moved is looked at each time until it has been still for so long. */
const LIVELY_NS = 3 * SECOND_NS;
/** Descriptors are listed again where their number changed, and anyhow after this time: one may have taken another's place. */
const LIST_NS = 10 * SECOND_NS;
/** Where the kernel tells no number of descriptors (before 6.2). */
const BLIND_LIST_NS = SECOND_NS;
const NEVER = Number.NEGATIVE_INFINITY;

/** An open graphics device of a process. */
interface Descriptor {
  readonly number: string;
  readonly file: HeldFile;
  /** Of the device file that it was opened by. */
  readonly node: string;
  /** As it was read last: what did not change is not taken apart again. */
  text: Buffer;
  card: DrmCard | null;
  /** Null: counted by itself. */
  client: string | null;
  bytes: number;
}

class Watched {
  readonly pid: number;
  /** Of the recorder's own tree. */
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
  readonly #mostHeld: number;
  #held = 0;
  /** In the order in which they came. */
  readonly #processes = new Map<number, Watched>();
  #turn: Watched[] = [];
  #next = 0;
  #looked = NEVER;
  #enumerated = NEVER;
  #newestPid = Number.NaN;
  #stale = true;
  readonly #sums = new Map<DrmCard, Map<number, number>>();

  /** `own` is the recorder's pid. */
  constructor({ proc }: Machine, cards: readonly DrmCard[], own = process.pid) {
    this.#proc = proc;
    this.#own = own;
    this.#byPci = new Map(cards.map((card) => [card.device.pci, card]));
    this.#byNode = new Map(
      cards.flatMap((card) => nodesOf(card.device).map((node) => [node, card])),
    );
    this.#loadavg = openOrNull(`${proc}/loadavg`, this.#loadBuffer);
    this.#mostHeld = fileLimit(proc) / 4;
  }

  /** How many processes may not be looked into. */
  get denied(): number {
    return [...this.#processes.values()].filter(({ count }) => Number.isNaN(count)).length;
  }

  /** Reads what may have changed since the last look. */
  look(time: number): void {
    this.#enumerate(time);
    const share = Math.min(1, (time - this.#looked) / TURN_NS);
    this.#looked = time;
    for (const process of this.#processes.values()) {
      if (process.ours || time - process.moved < LIVELY_NS) this.#lookAt(process, time);
    }
    const turns = Math.ceil(this.#turn.length * share);
    for (let i = 0; i < turns; i++) {
      const process = this.#turn[this.#next++ % this.#turn.length]!;
      if (!process.ours && time - process.moved >= LIVELY_NS) this.#lookAt(process, time);
    }
  }

  /** Bytes by pid; NaN where this kernel does not tell how much. */
  on(card: DrmCard): ReadonlyMap<number, number> {
    if (this.#stale) this.#sum();
    return this.#sums.get(card) ?? new Map();
  }

  close(): void {
    for (const process of this.#processes.values()) this.#letGo(process);
    this.#loadavg?.close();
  }

  #enumerate(time: number): void {
    const newest = this.#readNewestPid();
    if (newest === this.#newestPid && time - this.#enumerated < TURN_NS) return;
    this.#newestPid = newest;
    this.#enumerated = time;
    const gone = new Set(this.#processes.keys());
    let came = false;
    for (const name of readdirSync(this.#proc)) {
      const pid = Number(name);
      if (!(pid > 0) || gone.delete(pid)) continue;
      this.#processes.set(pid, new Watched(pid, this.#isOurs(pid)));
      came = true;
    }
    for (const pid of gone) {
      this.#letGo(this.#processes.get(pid)!);
      this.#processes.delete(pid);
    }
    if (!came && gone.size === 0) return;
    this.#turn = [...this.#processes.values()];
    for (const process of this.#turn) if (process.listed === NEVER) this.#lookAt(process, time);
  }

  #isOurs(pid: number): boolean {
    const parent = readStat(this.#proc, pid)?.ppid;
    return (
      pid === this.#own ||
      parent === this.#own ||
      (parent !== undefined && this.#processes.get(parent)?.ours === true)
    );
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
        this.#stale ||= descriptor.bytes !== 0;
        descriptor.bytes = 0;
      } else if (this.#changed) process.moved = time;
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
    // Room is left for the recorder's own files.
    if (this.#held >= this.#mostHeld) return;
    const file = openOrNull(`${this.#proc}/${process.pid}/fdinfo/${number}`, this.#buffer);
    if (!file) return;
    this.#held++;
    const text = Buffer.alloc(0);
    process.descriptors.set(number, {
      number,
      file,
      node,
      text,
      card: null,
      client: null,
      bytes: 0,
    });
  }

  #drop(process: Watched, number: string): void {
    const descriptor = process.descriptors.get(number);
    if (!descriptor) return;
    descriptor.file.close();
    this.#held--;
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
    const length = descriptor.file.read();
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

  #interpret(descriptor: Descriptor, { pci, id, regions }: Client): void {
    const card = (pci ? this.#byPci.get(pci) : this.#byNode.get(descriptor.node)) ?? null;
    const bytes = card ? card.opened.held(regions) : 0;
    this.#changed = !Object.is(bytes, descriptor.bytes);
    this.#stale ||= this.#changed || card !== descriptor.card || id !== descriptor.client;
    descriptor.card = card;
    descriptor.client = id;
    descriptor.bytes = bytes;
  }

  #sum(): void {
    this.#stale = false;
    this.#sums.clear();
    const seen = new Map<DrmCard, Set<string>>();
    for (const { pid, descriptors } of this.#processes.values()) {
      for (const { number, card, client, bytes } of descriptors.values()) {
        if (!card || bytes === 0) continue;
        const clients = seen.get(card) ?? new Set();
        seen.set(card, clients);
        const identity = client ?? `${pid}/${number}`;
        if (clients.has(identity)) continue;
        clients.add(identity);
        const sums = this.#sums.get(card) ?? new Map<number, number>();
        this.#sums.set(card, sums);
        sums.set(pid, plus(sums.get(pid), bytes));
      }
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
