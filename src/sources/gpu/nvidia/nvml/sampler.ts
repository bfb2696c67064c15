import { SECOND_NS } from '../../../../base/time.ts';
import type { Tick } from '../../../source.ts';
import type {
  CardMemory,
  GpuEvents,
  GpuFindings,
  GpuNow,
  GpuReader,
  GpuSession,
} from '../../backend.ts';
import { CardTable } from '../../card-table.ts';
import { ProcessRounds } from '../../process-rounds.ts';
import type { Nvml } from './binding.ts';
import { ProcessList } from './card-queries.ts';
import { CODE } from './constants.ts';
import { findDevices, type NvmlDevice, type NvmlDevices } from './devices.ts';
import type { MachineMemory } from './machine-memory.ts';

/** A card that does not answer is asked again after this time: a lost one stays lost. */
const RETRY_NS = SECOND_NS;

/** Every card's memory at each tick, and who holds it as often as the budget allows. */
export class NvmlSampler implements GpuReader {
  readonly findings: GpuFindings;
  readonly #nvml: Nvml;
  readonly #events: GpuEvents;
  readonly #found: NvmlDevices;
  /** Those whose memory the driver tells. */
  readonly #devices: readonly NvmlDevice[];
  /** Those that have none of their own. */
  readonly #unified: readonly NvmlDevice[];
  readonly #machine: MachineMemory;
  /** What was read of each card, by its index: where it moved, its processes are worth a look. */
  readonly #moving: Float64Array;
  readonly #table: CardTable;
  readonly #rounds: ProcessRounds<NvmlDevice>;
  readonly #memory: CardMemory = { used: 0, reserved: 0, free: 0, total: 0 };
  /** When to ask a card again that gave no answer, by its index. */
  readonly #retry = new Map<number, number>();
  readonly #warned = new Set<string>();

  constructor(nvml: Nvml, machine: MachineMemory, session: Pick<GpuSession, 'sink' | 'events'>) {
    this.#nvml = nvml;
    this.#events = session.events;
    this.#machine = machine;
    this.#found = findDevices(nvml, machine);
    const { devices, driver } = this.#found;
    const measured = devices.filter(({ card }) => card.reason === undefined);
    this.#devices = measured.filter(({ unified }) => !unified);
    this.#unified = measured.filter(({ unified }) => unified);
    this.#table = new CardTable(session.sink, devices.length);
    this.#moving = new Float64Array(devices.length).fill(Number.NaN);
    const processes = new ProcessList(nvml);
    this.#rounds = new ProcessRounds(
      measured,
      ({ handle }, into) => {
        const code = processes.read(handle, into);
        return code === CODE.ok ? null : nvml.errorText(code);
      },
      session,
    );
    this.findings = {
      cards: devices.map(({ card }) => card),
      driver,
      tellsProcesses: this.#rounds.tells,
      notes: [...this.#notes(), ...this.#rounds.notes],
    };
  }

  get now(): GpuNow {
    return this.#table.now;
  }

  sample({ time }: Tick): void {
    for (const device of this.#devices) {
      this.#read(device, time);
      this.#moving[device.card.index] = this.#memory.used;
      this.#table.add(time, device.card.index, this.#memory);
    }
    if (this.#unified.length > 0) this.#machine.read(time);
    for (const { card } of this.#unified) this.#moving[card.index] = this.#machine.available;
    this.#rounds.sample(time, this.#moving);
    for (const device of this.#unified) this.#addUnified(device, time);
  }

  close(): void {
    this.#nvml.shutdown();
    this.#machine.close();
  }

  /** What its processes hold is what it has in use. Without a list of them all that is in use of the machine may be its. */
  #addUnified({ card: { index } }: NvmlDevice, time: number): void {
    const { total, available } = this.#machine;
    const memory = this.#memory;
    memory.used = this.#rounds.lists(index) ? this.#rounds.held(index) : total - available;
    memory.reserved = Number.NaN;
    memory.free = available;
    memory.total = total;
    this.#table.add(time, index, memory);
  }

  #read(device: NvmlDevice, time: number): void {
    const { index } = device.card;
    const again = this.#retry.get(index);
    const memory = this.#memory;
    if (again !== undefined && time < again) {
      memory.used = memory.reserved = memory.free = memory.total = Number.NaN;
      return;
    }
    const code = this.#found.memory.read(device.handle, device.separates, memory);
    if (code === CODE.ok) {
      if (again !== undefined) this.#retry.delete(index);
      return;
    }
    this.#retry.set(index, time + RETRY_NS);
    const why = this.#nvml.errorText(code);
    if (this.#warned.has(`${index} ${code}`)) return;
    this.#warned.add(`${index} ${code}`);
    this.#events.onWarning(
      `GPU ${index} (${device.card.name}) does not answer any more: ${why}; its memory is unknown from then on`,
    );
  }

  #notes(): string[] {
    const notes = this.#found.devices
      .filter(({ card }) => card.reason !== undefined)
      .map(({ card }) => `GPU ${card.index} (${card.name}) is not measured: ${card.reason}`);
    for (const { card } of this.#unified) {
      const used = this.#rounds.lists(card.index)
        ? 'used is what the driver lists of its processes'
        : 'used is that of the whole machine, as the driver lists no processes';
      notes.push(
        `GPU ${card.index} (${card.name}) has no memory of its own to tell, and is taken to have the machine’s: total and free are the machine’s, ${used}`,
      );
    }
    for (const { card } of this.#found.devices.filter((device) => device.card.mig)) {
      const slices = this.#found.devices.filter((device) => device.card.parent === card.index);
      const names = slices.map((slice) => `GPU ${slice.card.index}`).join(', ') || 'none';
      notes.push(`GPU ${card.index} is cut into slices (MIG), which are measured apart: ${names}`);
    }
    if (this.#devices.some(({ separates }) => !separates)) {
      notes.push(
        'this driver counts the memory that it reserves for itself as used: figures are higher than those of newer drivers',
      );
    }
    return notes;
  }
}
