import { SECOND_NS } from '../../base/time.ts';
import type { GpuCard } from '../../model/run.ts';
import { TABLES } from '../../model/schema.ts';
import type { TableBuffer } from '../../model/table.ts';
import type { GpuEvents, GpuSession } from './backend.ts';

/** Share of a processor that may go into lists of processes, which cost many times a memory call. */
const BUDGET = 0.01;
/** What rounds may cost. */
export interface RoundsBudget {
  /** Of a processor. */
  readonly share: number;
  /** What a round takes is the least of so many: the rest was waiting for a turn on a busy machine, which costs nothing. */
  readonly recent: number;
}

const USUAL: RoundsBudget = { share: BUDGET, recent: 1 };
/** A driver that lets us wait (while somebody opens a card, say) costs us no processor time. */
const MOST_NS = 0.01 * SECOND_NS;
/** While no card's memory moves, nobody came or went: then so often is enough. */
const QUIET_NS = 0.1 * SECOND_NS;

/** A card as its backend knows it. */
export interface ListedCard {
  readonly card: GpuCard;
  /** False where its processes are listed elsewhere: a card that is cut up lists them at the slices. */
  readonly listsProcesses: boolean;
}

/** Adds bytes by pid (NaN: not told) to `into`; the reason where there is no list, null where there is. */
export type ListProcesses<C extends ListedCard> = (
  card: C,
  into: Map<number, number>,
) => string | null;

/** Puts who is on the cards into table `gpu_process`: all cards in one round, as one sample. */
export class ProcessRounds<C extends ListedCard> {
  readonly #list: ListProcesses<C>;
  readonly #cards: readonly C[];
  /** Those of which there is no list. */
  readonly #unlisted: readonly C[];
  readonly #table: TableBuffer;
  readonly #events: GpuEvents;
  #usedThen = new Float64Array(0);
  readonly #held = new Map<number, number>();
  readonly #sums = new Map<number, number>();
  readonly #known = new Set<number>();
  readonly #budget: RoundsBudget;
  readonly #took: number[] = [];
  #earliest = 0;
  #due = 0;
  /** Whether the driver lists processes at all, on any card. */
  readonly tells: boolean;
  readonly notes: readonly string[];

  constructor(
    cards: readonly C[],
    list: ListProcesses<C>,
    { sink, events }: Pick<GpuSession, 'sink' | 'events'>,
    budget = USUAL,
  ) {
    this.#list = list;
    this.#budget = budget;
    this.#table = sink.table(TABLES.gpu_process);
    this.#events = events;
    const asked = cards.filter(({ listsProcesses }) => listsProcesses);
    const reasons = asked.map((card) => list(card, new Map()));
    this.#cards = asked.filter((_, i) => reasons[i] === null);
    this.#unlisted = cards.filter((card) => !this.#cards.includes(card));
    this.tells = this.#cards.length > 0;
    this.notes = asked.flatMap(({ card }, i) =>
      reasons[i] === null
        ? []
        : `the driver does not list the processes on GPU ${card.index}: ${reasons[i]}`,
    );
  }

  /** Whether the driver lists the processes on a card. */
  lists(index: number): boolean {
    return this.#cards.some(({ card }) => card.index === index);
  }

  /** What the processes on a card held at the last round, by its index; NaN where that is not told. */
  held(index: number): number {
    return this.#sums.get(index) ?? Number.NaN;
  }

  /** `used` is by the cards' indices: what moved since the last round is worth a look. */
  sample(time: number, used: Float64Array): void {
    if (!this.tells || time < this.#earliest) return;
    if (time < this.#due && !this.#moved(used)) return;
    const started = performance.now();
    this.#round(time);
    this.#took.push((performance.now() - started) * 1e6);
    if (this.#took.length > this.#budget.recent) this.#took.shift();
    this.#earliest = time + Math.min(...this.#took, MOST_NS) / this.#budget.share;
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
    for (const listed of this.#cards) {
      const { index } = listed.card;
      this.#held.clear();
      if (this.#list(listed, this.#held) !== null) {
        this.#sums.delete(index);
        this.#addRow(time, index, 0, Number.NaN);
        continue;
      }
      this.#sums.set(index, knownSum(this.#held));
      if (this.#held.size === 0) silent.push(index);
      else somebody = true;
      for (const [pid, bytes] of this.#held) this.#hold(time, index, pid, bytes);
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

/** Of those that are told; NaN where somebody is there and nothing is told of anybody. */
function knownSum(held: ReadonlyMap<number, number>): number {
  let [sum, known] = [0, held.size === 0];
  for (const bytes of held.values()) {
    if (Number.isNaN(bytes)) continue;
    sum += bytes;
    known = true;
  }
  return known ? sum : Number.NaN;
}
