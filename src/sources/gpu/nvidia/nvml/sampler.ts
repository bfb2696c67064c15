import { SECOND_NS } from '../../../../base/time.ts';
import { TABLES } from '../../../../model/schema.ts';
import type { TableBuffer } from '../../../../model/table.ts';
import type { Sampler, Sink, Tick } from '../../../source.ts';
import type { GpuEvents, GpuFindings, GpuNow } from '../../backend.ts';
import type { Nvml } from './binding.ts';
import { CODE } from './constants.ts';
import { type Device, type Devices, findDevices } from './device.ts';
import type { Memory } from './memory.ts';
import { ProcessRounds } from './process-rounds.ts';

/** A card that does not answer is asked again after this time: a lost one stays lost. */
const RETRY_NS = SECOND_NS;

/** Every card's memory at each tick, and who holds it as often as the budget allows. */
export class NvmlSampler implements Sampler {
  readonly findings: GpuFindings;
  readonly now: GpuNow;
  readonly #nvml: Nvml;
  readonly #events: GpuEvents;
  readonly #found: Devices;
  /** Those whose memory the driver tells. */
  readonly #devices: readonly Device[];
  readonly #table: TableBuffer;
  readonly #rounds: ProcessRounds;
  readonly #memory: Memory = { used: 0, reserved: 0, free: 0, total: 0 };
  /** When to ask a card again that gave no answer, by its index. */
  readonly #retry = new Map<number, number>();
  readonly #warned = new Set<string>();

  constructor(nvml: Nvml, sink: Sink, events: GpuEvents) {
    this.#nvml = nvml;
    this.#events = events;
    this.#found = findDevices(nvml);
    const { devices, driver } = this.#found;
    this.#devices = devices.filter(({ card }) => card.reason === undefined);
    this.#table = sink.table(TABLES.gpu);
    this.#rounds = new ProcessRounds(nvml, this.#devices, sink.table(TABLES.gpu_process), events);
    this.findings = {
      cards: devices.map(({ card }) => card),
      driver,
      tellsProcesses: this.#rounds.tells,
      notes: [...this.#notes(), ...this.#rounds.notes],
    };
    const unknown = () => new Float64Array(devices.length).fill(Number.NaN);
    this.now = { first: unknown(), used: unknown() };
  }

  sample(tick: Tick): void {
    const { first, used } = this.now;
    for (const device of this.#devices) {
      const { index } = device.card;
      this.#read(device, tick.time);
      used[index] = this.#memory.used;
      if (Number.isNaN(first[index]!)) first[index] = this.#memory.used;
      this.#addRow(index, tick.time);
    }
    this.#rounds.sample(tick.time, used);
  }

  close(): void {
    this.#nvml.shutdown();
  }

  #read(device: Device, time: number): void {
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
    const why = this.#nvml.words(code);
    if (this.#warned.has(`${index} ${code}`)) return;
    this.#warned.add(`${index} ${code}`);
    this.#events.onWarning(
      `GPU ${index} (${device.card.name}) does not answer any more: ${why}; its memory is unknown from then on`,
    );
  }

  #addRow(gpu: number, time: number): void {
    const table = this.#table;
    const row = table.addRow();
    table.f64(0)[row] = time;
    (table.columns[1] as Uint32Array)[row] = gpu;
    table.f64(2)[row] = this.#memory.used;
    table.f64(3)[row] = this.#memory.reserved;
    table.f64(4)[row] = this.#memory.free;
    table.f64(5)[row] = this.#memory.total;
  }

  #notes(): string[] {
    const notes = this.#found.devices
      .filter(({ card }) => card.reason !== undefined)
      .map(({ card }) => `GPU ${card.index} (${card.name}) is not measured: ${card.reason}`);
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
