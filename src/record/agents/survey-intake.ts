import type { ClockOrigin } from '../threads/messages.ts';
import { agentClock } from './agent-clock.ts';

/** Each text of a row is kept once, and there are not many; rows are few, as a survey is dear. */
const MOST_ROWS = 500_000;

interface Survey<Row> {
  readonly time: number;
  readonly rows: readonly Row[];
}

/** One process's rows at one moment of the recording. */
export interface SurveyOfProcess<Row> extends Survey<Row> {
  readonly pid: number;
  readonly rank: number | null;
}

/** Where surveys of tensors, or of other objects, come in and get their time. */
export class SurveyDesk<Row> {
  readonly #timeOf: (agentTime: number) => number;
  readonly #onSurvey: (survey: SurveyOfProcess<Row>) => void;
  #rowsLeft = MOST_ROWS;

  constructor(origin: ClockOrigin, onSurvey: (survey: SurveyOfProcess<Row>) => void) {
    this.#timeOf = agentClock(origin);
    this.#onSurvey = onSurvey;
  }

  add({ time, rows }: Survey<Row>, pid: number, rank: number | null): void {
    const kept = rows.slice(0, this.#rowsLeft);
    this.#rowsLeft -= kept.length;
    if (kept.length > 0) this.#onSurvey({ time: this.#timeOf(time), pid, rank, rows: kept });
  }
}
