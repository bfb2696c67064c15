import { SECOND_NS } from '../../../base/time.ts';
import type { GpuCard } from '../../../model/run.ts';
import { readText } from '../../proc.ts';
import type { Tick } from '../../source.ts';
import type { CardMemory, GpuFindings, GpuNow, GpuReader, GpuSession } from '../backend.ts';
import { CardTable } from '../card-table.ts';
import { ProcessRounds, type RoundsBudget } from '../process-rounds.ts';
import type { DeviceFiles, DrmCard } from './card.ts';
import { Clients } from './clients.ts';
import { findDevices } from './devices.ts';
import { DRIVERS } from './drivers/index.ts';
import { ComputeFiles } from './kfd.ts';

/** Share of a processor that looks at descriptors may take: at those of others no more than `Turns` allows. */
const BUDGET: RoundsBudget = { share: 0.018, recent: 4 };
/** A card that does not answer is asked again after this time. */
const RETRY_NS = SECOND_NS;

/** Every card's memory at each tick, and who holds it as often as the budget allows. */
export class DrmSampler implements GpuReader {
  readonly findings: GpuFindings;
  readonly #cards: readonly DrmCard[];
  readonly #table: CardTable;
  readonly #rounds: ProcessRounds<DrmCard>;
  readonly #clients: Clients;
  readonly #compute: ComputeFiles;
  readonly #computing = new Map<DrmCard, Map<number, number>>();
  readonly #events: GpuSession['events'];
  readonly #memory: CardMemory = unknownMemory();
  /** When to ask a card again that gave no answer, by its index. */
  readonly #retry = new Map<number, number>();
  readonly #warned = new Set<number>();
  #time = 0;
  #looked = Number.NaN;

  constructor(
    files: DeviceFiles,
    session: Pick<GpuSession, 'sink' | 'events' | 'firstIndex'>,
    own?: number,
  ) {
    this.#events = session.events;
    this.#compute = new ComputeFiles(files);
    this.#cards = openCards(files, this.#compute, session.firstIndex ?? 0);
    const last = this.#cards.at(-1);
    this.#table = new CardTable(session.sink, last ? last.card.index + 1 : 0);
    this.#clients = new Clients(files.machine, this.#cards, own);
    const measured = this.#cards.filter(({ card }) => card.reason === undefined);
    this.#rounds = new ProcessRounds(
      measured,
      (card, into) => this.#list(card, into),
      session,
      BUDGET,
    );
    this.findings = {
      cards: this.#cards.map(({ card }) => card),
      driver: driverOf(files, this.#cards),
      tellsProcesses: this.#rounds.tells,
      notes: this.#notes(),
    };
  }

  get now(): GpuNow {
    return this.#table.now;
  }

  sample({ time }: Tick): void {
    this.#time = time;
    for (const card of this.#cards) if (card.opened.read) this.#read(card, time);
    this.#rounds.sample(time, this.now.used);
    for (const card of this.#cards) if (!card.opened.read) this.#addHeld(card, time);
  }

  close(): void {
    this.#clients.close();
    this.#compute.close();
    for (const { opened } of this.#cards) opened.close();
  }

  #read({ card, opened }: DrmCard, time: number): void {
    if (card.reason !== undefined) return;
    const memory = this.#memory;
    const again = this.#retry.get(card.index) ?? Number.NEGATIVE_INFINITY;
    if (time < again || !opened.read!(memory)) {
      Object.assign(memory, unknownMemory());
      if (time >= again) this.#retry.set(card.index, time + RETRY_NS);
      this.#warn(card);
    }
    this.#table.add(time, card.index, memory);
  }

  #warn({ index, name }: GpuCard): void {
    if (this.#warned.has(index)) return;
    this.#warned.add(index);
    this.#events.onWarning(
      `GPU ${index} (${name}) does not answer any more; its memory is unknown from then on`,
    );
  }

  /** Of a card whose driver tells no sum: what its processes hold. */
  #addHeld({ card, opened }: DrmCard, time: number): void {
    const memory = this.#memory;
    memory.used = this.#rounds.held(card.index);
    memory.total = opened.totalBytes;
    memory.free = Number.NaN;
    memory.reserved = Number.NaN;
    this.#table.add(time, card.index, memory);
  }

  #list(card: DrmCard, into: Map<number, number>): null {
    if (this.#looked !== this.#time) this.#look();
    for (const [pid, bytes] of this.#clients.on(card)) into.set(pid, bytes);
    // What computes is among a process's clients where these may be read: the larger figure is the whole.
    for (const [pid, bytes] of this.#computing.get(card) ?? []) {
      into.set(pid, Math.max(into.get(pid) || 0, bytes));
    }
    return null;
  }

  #look(): void {
    this.#looked = this.#time;
    this.#clients.look(this.#time);
    this.#computing.clear();
    const devices = this.#cards.map(({ device }) => device);
    for (const [device, pid, bytes] of this.#compute.read(devices)) {
      const card = this.#cards[devices.indexOf(device)]!;
      const by = this.#computing.get(card) ?? new Map<number, number>();
      this.#computing.set(card, by);
      by.set(pid, (by.get(pid) ?? 0) + bytes);
    }
  }

  #notes(): string[] {
    const notes = this.#cards.flatMap(({ card, opened }) => {
      const own = card.reason ? [`is not measured: ${card.reason}`] : opened.notes;
      return own.map((note) => `GPU ${card.index} (${card.name}) ${note}`);
    });
    const { denied } = this.#clients;
    if (denied > 0) {
      const who = denied === 1 ? '1 process belongs' : `${denied} processes belong`;
      notes.push(
        `${who} to other users and may not be looked into (/proc/PID/fdinfo; as root, or with CAP_SYS_PTRACE): what they hold is in the cards’ own figures only`,
      );
    }
    return notes;
  }
}

export function openCards(files: DeviceFiles, compute: ComputeFiles, first: number): DrmCard[] {
  const found = findDevices(files.sys).flatMap((device) => {
    const driver = DRIVERS.find(({ name }) => name === device.driver);
    return driver ? [{ device, driver }] : [];
  });
  // As programs number them; those that none computes on come after.
  found.sort((a, b) => compute.rank(a.device) - compute.rank(b.device));
  return found.map(({ device, driver }, i) => {
    const opened = driver.open(device, files);
    const card: GpuCard = {
      index: first + i,
      uuid: opened.uuid ?? device.pci,
      name: opened.name ?? `${device.driver} ${device.id.toLowerCase()}`,
      memoryBytes: opened.reason ? 0 : opened.totalBytes || 0,
      ...(opened.reason && { reason: opened.reason }),
    };
    return { card, device, opened, listsProcesses: true };
  });
}

/** `amdgpu 6.12.12, xe of Linux 6.14.0`: drivers that are built apart have a version of their own. */
export function driverOf({ sys, machine }: DeviceFiles, cards: readonly DrmCard[]): string {
  const names = [...new Set(cards.map(({ device }) => device.driver))];
  const versions = names.map((name) => {
    const version = readText(`${sys}/module/${name}/version`)?.trim();
    return version ? `${name} ${version}` : name;
  });
  const release = readText(`${machine.proc}/sys/kernel/osrelease`)?.trim();
  return `${versions.join(', ')} of Linux ${release ?? '(unknown)'}`;
}

function unknownMemory(): CardMemory {
  return { used: Number.NaN, reserved: Number.NaN, free: Number.NaN, total: Number.NaN };
}
