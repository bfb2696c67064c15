import type { AgentTensors } from '../sources/agent/protocol.ts';
import { agentClock } from './agent-clock.ts';
import type { ClockOrigin, TensorsOfProcess } from './messages.ts';

/** Each text of a row is kept once, and there are not many; rows are few, as a survey is dear. */
const MOST_ROWS = 500_000;

/** Where surveys of tensors come in and get their time. */
export class TensorDesk {
  readonly #timeOf: (agentTime: number) => number;
  readonly #onTensors: (tensors: TensorsOfProcess) => void;
  #rowsLeft = MOST_ROWS;

  constructor(origin: ClockOrigin, onTensors: (tensors: TensorsOfProcess) => void) {
    this.#timeOf = agentClock(origin);
    this.#onTensors = onTensors;
  }

  add({ time, rows }: AgentTensors, pid: number, rank: number | null): void {
    const kept = rows.slice(0, this.#rowsLeft);
    this.#rowsLeft -= kept.length;
    if (kept.length > 0) this.#onTensors({ time: this.#timeOf(time), pid, rank, rows: kept });
  }
}
