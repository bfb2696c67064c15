import type { RecordingSummary } from '../../model/job/summary.ts';

/** What the job asked for, and what it used of that. */
export interface JobAsked {
  /** Of the machines' memory; null: nobody asked for any, and no control group limits it. */
  readonly memory: {
    /** `slurm`: what Slurm was asked for; `limit`: the limit of the control group. */
    readonly from: 'slurm' | 'limit';
    readonly nodes: number;
    readonly askedBytes: number;
    /** The peaks of all ranks together: they held at most this at once. */
    readonly usedBytes: number;
    /** The machine that used the largest share of what was asked of it. */
    readonly fullest: {
      readonly node: string;
      readonly askedBytes: number;
      readonly usedBytes: number;
    };
  } | null;
  /** Of cards that ranks used; null: none did. */
  readonly cards: {
    readonly ranks: number;
    readonly memoryBytes: number;
    readonly usedBytes: number;
    /** Cards that Slurm gave, and no rank was seen to use; null: not known. */
    readonly idle: number | null;
  } | null;
}

interface NodeUse {
  asked: number;
  from: 'slurm' | 'limit';
  used: number;
  gpus: number | null;
  cardsUsed: number;
}

/** More machines are not told apart. */
const MOST_NODES = 65_536;

/** Adds up what each machine was asked for: all ranks of one are told the same. */
export class AskedFold {
  readonly #nodes = new Map<string, NodeUse>();
  #others = 0;
  readonly #cards = { ranks: 0, memoryBytes: 0, usedBytes: 0 };

  /** Machines that were seen. */
  get nodes(): number {
    return this.#nodes.size + this.#others;
  }

  add({ node, asked, limitBytes, cards, ranks, headline }: RecordingSummary): void {
    let use = this.#nodes.get(node);
    if (!use) {
      if (this.#nodes.size === MOST_NODES) {
        this.#others++;
        return;
      }
      use = { asked: 0, from: 'limit', used: 0, gpus: null, cardsUsed: 0 };
      this.#nodes.set(node, use);
    }
    if (asked?.memoryBytes) {
      use.asked = use.from === 'slurm' ? Math.max(use.asked, asked.memoryBytes) : asked.memoryBytes;
      use.from = 'slurm';
    } else if (limitBytes && use.from === 'limit') use.asked = Math.max(use.asked, limitBytes);
    const held = ranks.reduce((sum, { memory }) => sum + (memory?.bytes ?? 0), 0);
    use.used += held || (headline?.bytes ?? 0);
    if (asked?.gpus != null) use.gpus = Math.max(use.gpus ?? 0, asked.gpus);
    use.cardsUsed += cards.used;
    for (const { card } of ranks) {
      if (!card?.memoryBytes) continue;
      this.#cards.ranks++;
      this.#cards.memoryBytes += card.memoryBytes;
      this.#cards.usedBytes += card.bytes;
    }
  }

  get result(): JobAsked {
    const told = [...this.#nodes].filter(([, { asked }]) => asked > 0);
    const sum = (of: (use: NodeUse) => number) => told.reduce((all, [, use]) => all + of(use), 0);
    const share = ({ used, asked }: NodeUse) => used / asked;
    const [first] = told;
    const fullest = first && told.reduce((a, b) => (share(b[1]) > share(a[1]) ? b : a));
    const given = [...this.#nodes.values()].filter(({ gpus }) => gpus !== null);
    const idle = given.reduce(
      (all, { gpus, cardsUsed }) => all + Math.max(0, gpus! - cardsUsed),
      0,
    );
    return {
      memory: fullest
        ? {
            from: told.some(([, { from }]) => from === 'slurm') ? 'slurm' : 'limit',
            nodes: told.length,
            askedBytes: sum(({ asked }) => asked),
            usedBytes: sum(({ used }) => used),
            fullest: {
              node: fullest[0],
              askedBytes: fullest[1].asked,
              usedBytes: fullest[1].used,
            },
          }
        : null,
      cards:
        this.#cards.ranks > 0 ? { ...this.#cards, idle: given.length === 0 ? null : idle } : null,
    };
  }
}
