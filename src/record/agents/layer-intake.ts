import { count } from '../../base/text.ts';
import type { Received } from '../../sources/agent/kinds/kind.ts';
import {
  type AgentLayers,
  type LayerRow,
  layersKind,
  NOTHING_CHANGED,
} from '../../sources/agent/kinds/layers.ts';
import type { ClockOrigin } from '../threads/messages.ts';
import { agentClock } from './agent-clock.ts';
import { RowBudget } from './row-budget.ts';

/** Different names and kinds, over all processes: each is remembered, here and as a text. */
const MOST_PARTS = 100_000;

export interface LayerIntakeEvents {
  /** To be stored. */
  onRows(received: Received<AgentLayers>): void;
  onWarning(text: string): void;
}

/** What one process said last. */
interface LastSaid {
  readonly bytes: Map<string, number | null>;
  iteration: string;
}

/** Takes the layers of agents, gives them their time, and keeps them within bounds. */
export class LayerIntake {
  readonly #timeOf: (agentTime: number) => number;
  readonly #events: LayerIntakeEvents;
  readonly #budget: RowBudget;
  readonly #lastSaid = new Map<number, LastSaid>();
  #parts = 0;

  constructor(origin: ClockOrigin, maxDisk: number, events: LayerIntakeEvents) {
    this.#timeOf = agentClock(origin);
    this.#events = events;
    this.#budget = new RowBudget(layersKind.limits, maxDisk);
  }

  add(layers: AgentLayers, pid: number, rank: number | null): void {
    if (layers.refused) {
      this.#events.onWarning(
        `${count(layers.refused, 'row')} of layers of process ${pid} are unreadable`,
      );
    }
    const changed = this.#changed(layers, pid);
    const rows = changed.slice(0, this.#budget.left);
    if (rows.length === 0) return;
    this.#budget.take(rows.length);
    const time = this.#timeOf(layers.time);
    this.#events.onRows({ message: { ...layers, rows }, time, pid, rank });
    if (this.#budget.left === 0) this.#events.onWarning(this.#budget.warning('layers', time));
  }

  /** Rows that differ from what their process said before; one that says so where none does. */
  #changed(layers: AgentLayers, pid: number): readonly LayerRow[] {
    const last = this.#lastSaidBy(pid);
    const rows = layers.rows.filter((row) => this.#isChange(last, row));
    const iteration = `${layers.epoch} ${layers.iteration}`;
    const first = last.iteration !== iteration;
    last.iteration = iteration;
    return rows.length === 0 && first ? [NOTHING_CHANGED] : rows;
  }

  #isChange({ bytes: known }: LastSaid, [name, kind, bytes]: LayerRow): boolean {
    const part = `${kind} ${name}`;
    const before = known.get(part);
    if (before === bytes) return false;
    if (before === undefined) {
      if (this.#parts === MOST_PARTS) {
        this.#events.onWarning(`only the first ${MOST_PARTS} names of layers are recorded`);
        return false;
      }
      this.#parts++;
    }
    known.set(part, bytes);
    return true;
  }

  #lastSaidBy(pid: number): LastSaid {
    let last = this.#lastSaid.get(pid);
    if (!last) {
      last = { bytes: new Map(), iteration: '' };
      this.#lastSaid.set(pid, last);
    }
    return last;
  }
}
