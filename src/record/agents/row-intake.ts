import { type RowMessage, rowKindOf } from '../../sources/agent/kinds/index.ts';
import type { Received } from '../../sources/agent/kinds/kind.ts';
import type { ClockOrigin } from '../threads/messages.ts';
import { agentClock } from './agent-clock.ts';
import { RowBudget } from './row-budget.ts';

/** Messages that are nothing but rows at a moment. */
type PlainRows = Extract<RowMessage, { readonly rows: readonly unknown[] }>;

interface KindState {
  readonly timeOf: (agentTime: number) => number;
  readonly budget: RowBudget;
}

/** Takes rows of all kinds that have no intake of their own, gives them their time, and keeps them within bounds. */
export class RowIntake {
  readonly #origin: ClockOrigin;
  readonly #maxDisk: number;
  readonly #onRows: (received: Received<RowMessage>) => void;
  readonly #kinds = new Map<string, KindState>();

  constructor(
    origin: ClockOrigin,
    maxDisk: number,
    onRows: (received: Received<RowMessage>) => void,
  ) {
    this.#origin = origin;
    this.#maxDisk = maxDisk;
    this.#onRows = onRows;
  }

  add(message: PlainRows, pid: number, rank: number | null): void {
    const { timeOf, budget } = this.#state(message);
    const rows = message.rows.slice(0, budget.left);
    if (rows.length === 0) return;
    budget.take(rows.length);
    const kept = { ...message, rows } as PlainRows;
    this.#onRows({ message: kept, time: timeOf(message.time), pid, rank });
  }

  #state(message: PlainRows): KindState {
    let state = this.#kinds.get(message.type);
    if (!state) {
      const { limits } = rowKindOf(message);
      state = { timeOf: agentClock(this.#origin), budget: new RowBudget(limits, this.#maxDisk) };
      this.#kinds.set(message.type, state);
    }
    return state;
  }
}
