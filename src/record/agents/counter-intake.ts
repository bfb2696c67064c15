import { formatBytes } from '../../base/bytes.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { AgentCounters } from '../../sources/agent/protocol.ts';
import type { ClockOrigin, CountersOfProcess } from '../threads/messages.ts';
import { agentClock } from './agent-clock.ts';

/** The share of `--max-disk` that counters may take: agents tell them more and more rarely. */
const SHARE_OF_DISK = 0.1;
/** Bytes of a row on disk, its part of a message included. */
const ROW_BYTES = 48;
/** Different names, over all processes: each is kept as a text. */
const MOST_NAMES = 2000;

export interface CounterDeskEvents {
  /** To be stored. */
  onCounters(counters: CountersOfProcess): void;
  onWarning(text: string): void;
}

/** Where the counters of agents come in, get their time, and are kept within bounds. */
export class CounterDesk {
  readonly #timeOf: (agentTime: number) => number;
  readonly #events: CounterDeskEvents;
  readonly #maxDisk: number;
  readonly #names = new Set<string>();
  #rowsLeft: number;

  constructor(origin: ClockOrigin, maxDisk: number, events: CounterDeskEvents) {
    this.#timeOf = agentClock(origin);
    this.#events = events;
    this.#maxDisk = maxDisk;
    this.#rowsLeft = Math.floor((maxDisk * SHARE_OF_DISK) / ROW_BYTES);
  }

  add(counters: AgentCounters, pid: number, rank: number | null): void {
    if (counters.refused) {
      this.#events.onWarning(`${counters.refused} counters of process ${pid} are unreadable`);
    }
    const entries = Object.entries(counters.values).filter(([name]) => this.#isKnown(name));
    if (entries.length === 0 || this.#rowsLeft <= 0) return;
    this.#rowsLeft -= entries.length;
    const time = this.#timeOf(counters.time);
    this.#events.onCounters({ time, pid, rank, values: Object.fromEntries(entries) });
    if (this.#rowsLeft <= 0) {
      const share = formatBytes(this.#maxDisk * SHARE_OF_DISK);
      this.#events.onWarning(
        `counters are recorded up to ${(time / SECOND_NS).toFixed(1)} s only: they may take ${share} of the disk, a tenth of --max-disk`,
      );
    }
  }

  #isKnown(name: string): boolean {
    if (this.#names.size < MOST_NAMES) this.#names.add(name);
    return this.#names.has(name);
  }
}
