import { SECOND_NS } from '../../../../base/time.ts';
import type { TableBuffer } from '../../../../model/table.ts';
import type { GpuEvents } from '../../backend.ts';
import type { Nvml } from './binding.ts';
import { CODE } from './constants.ts';
import type { Device } from './device.ts';
import { ProcessList } from './process-list.ts';

/** Share of a processor that may go into lists of processes, which cost many times a memory call. */
const BUDGET = 0.01;
/** A driver that lets us wait (while somebody opens a card, say) costs us no processor time. */
const MOST_NS = 0.01 * SECOND_NS;
/** While no card's memory moves, nobody came or went: then so often is enough. */
const QUIET_NS = 0.1 * SECOND_NS;

/** Reads who is on the cards: all cards in one round, as one sample. */
export class ProcessRounds {
  readonly #list: ProcessList;
  readonly #devices: readonly Device[];
  /** Cards of which there is no list. */
  readonly #unlisted: readonly Device[];
  readonly #table: TableBuffer;
  readonly #events: GpuEvents;
  #usedThen = new Float64Array(0);
  readonly #held = new Map<number, number>();
  readonly #known = new Set<number>();
  #earliest = 0;
  #due = 0;
  /** Whether the driver lists processes at all, on any card. */
  readonly tells: boolean;
  readonly notes: readonly string[];

  constructor(nvml: Nvml, devices: readonly Device[], table: TableBuffer, events: GpuEvents) {
    this.#list = new ProcessList(nvml);
    this.#table = table;
    this.#events = events;
    const listed = devices.filter((device) => device.listsProcesses);
    const answers = listed.map(({ handle }) => this.#list.read(handle, new Map()));
    this.#devices = listed.filter((_, i) => answers[i] === CODE.ok);
    this.#unlisted = devices.filter((device) => !this.#devices.includes(device));
    this.tells = this.#devices.length > 0;
    this.notes = listed.flatMap(({ card }, i) =>
      answers[i] === CODE.ok
        ? []
        : `the driver does not list the processes on GPU ${card.index}: ${nvml.words(answers[i]!)}`,
    );
  }

  /** `used` is by the cards' indices: what moved since the last round is worth a look. */
  sample(time: number, used: Float64Array): void {
    if (!this.tells || time < this.#earliest) return;
    if (time < this.#due && !this.#moved(used)) return;
    const started = performance.now();
    this.#round(time);
    const tookNs = (performance.now() - started) * 1e6;
    this.#earliest = time + Math.min(tookNs, MOST_NS) / BUDGET;
    this.#due = time + QUIET_NS;
    this.#usedThen = Float64Array.from(used);
  }

  #moved(used: Float64Array): boolean {
    return used.some((bytes, i) => bytes !== this.#usedThen[i] && !Number.isNaN(bytes));
  }

  #round(time: number): void {
    let somebody = false;
    for (const { card } of this.#unlisted) this.#addRow(time, card.index, 0, Number.NaN);
    const silent: number[] = [];
    for (const { card, handle } of this.#devices) {
      this.#held.clear();
      if (this.#list.read(handle, this.#held) !== CODE.ok) {
        this.#addRow(time, card.index, 0, Number.NaN);
        continue;
      }
      if (this.#held.size === 0) silent.push(card.index);
      else somebody = true;
      for (const [pid, bytes] of this.#held) this.#hold(time, card.index, pid, bytes);
    }
    // With others in the same sample an empty card is known to be empty; alone it has to be said.
    if (!somebody) for (const index of silent) this.#addRow(time, index, 0, 0);
  }

  #hold(time: number, gpu: number, pid: number, bytes: number): void {
    this.#addRow(time, gpu, pid, bytes);
    if (this.#known.has(pid)) return;
    this.#known.add(pid);
    this.#events.onHolder(pid);
  }

  #addRow(time: number, gpu: number, pid: number, bytes: number): void {
    const table = this.#table;
    const row = table.addRow();
    table.f64(0)[row] = time;
    (table.columns[1] as Uint32Array)[row] = gpu;
    (table.columns[2] as Uint32Array)[row] = pid;
    table.f64(3)[row] = bytes;
  }
}
