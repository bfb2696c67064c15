import { type AgentCounters, countersKind } from '../../sources/agent/kinds/counters.ts';
import type { Received } from '../../sources/agent/kinds/kind.ts';
import type { ClockOrigin } from '../threads/messages.ts';
import { agentClock } from './agent-clock.ts';
import { RowBudget } from './row-budget.ts';

/** Different names, over all processes: each is kept as a text. */
const MOST_NAMES = 2000;

export interface CounterIntakeEvents {
  /** To be stored. */
  onRows(received: Received<AgentCounters>): void;
  onWarning(text: string): void;
}

/** Takes the counters of agents, gives them their time, and keeps them within bounds. */
export class CounterIntake {
  readonly #timeOf: (agentTime: number) => number;
  readonly #events: CounterIntakeEvents;
  readonly #budget: RowBudget;
  readonly #names = new Set<string>();

  constructor(origin: ClockOrigin, maxDisk: number, events: CounterIntakeEvents) {
    this.#timeOf = agentClock(origin);
    this.#events = events;
    this.#budget = new RowBudget(countersKind.limits, maxDisk);
  }

  add(counters: AgentCounters, pid: number, rank: number | null): void {
    if (counters.refused) {
      this.#events.onWarning(`${counters.refused} counters of process ${pid} are unreadable`);
    }
    const entries = Object.entries(counters.values).filter(([name]) => this.#isKnown(name));
    if (entries.length === 0 || this.#budget.left === 0) return;
    this.#budget.take(entries.length);
    const time = this.#timeOf(counters.time);
    const message = { ...counters, values: Object.fromEntries(entries) };
    this.#events.onRows({ message, time, pid, rank });
    if (this.#budget.left === 0) this.#events.onWarning(this.#budget.warning('counters', time));
  }

  #isKnown(name: string): boolean {
    if (this.#names.size < MOST_NAMES) this.#names.add(name);
    return this.#names.has(name);
  }
}
