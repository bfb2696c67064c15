import { writeFileSync } from 'node:fs';
import {
  type Heap,
  type HeapHolders,
  type HeapPaths,
  type HeapTable,
  holdersOf,
  type Identities,
  membersOf,
  minusHeap,
  PAGE_ROWS,
  type Partition,
  partitionOf,
  pathsTo,
  referentsOf,
  referrersOfSet,
  statOf,
  tableOf,
} from '../../../analyses/heap/index.ts';
import { UserError } from '../../../base/errors.ts';
import { writeHeapyStat } from '../../../formats/heapy-stat.ts';
import { orUserError } from '../../../model/disk/files.ts';
import type { NodeSet } from '../../../model/heap/node-set.ts';
import { parseAsk, type Step } from './expression.ts';

export interface HeapNote {
  readonly type: 'heap-note';
  readonly text: string;
}

/** The answer to an ask, as plain data; a further page of a table has no label. */
export type Answer = HeapTable | HeapPaths | HeapHolders | HeapNote;

/**
 * Questions about one heap. Each is asked of the current table: naming a row makes its objects the
 * current table, `back` returns to the one before; paths and holders are shown without changing it.
 */
export class HeapSession {
  readonly heap: Heap;
  readonly #other: (name: string) => Promise<Identities>;
  readonly #stack: Partition[];
  /** The next page of what was shown last; null: there is none. */
  #more: () => Answer | null = () => null;

  constructor(
    heap: Heap,
    other: (name: string) => Promise<Identities>,
    first: Partition = partitionOf(heap),
  ) {
    this.heap = heap;
    this.#other = other;
    this.#stack = [first];
  }

  /** The current table. */
  get current(): Partition {
    return this.#stack.at(-1)!;
  }

  show(): Answer {
    return this.#table(this.current);
  }

  async ask(text: string): Promise<Answer> {
    let [partition, moved] = [this.current, false];
    let answer: Answer | null = null;
    for (const step of parseAsk(text)) {
      const result = await this.#step(step, partition);
      if ('type' in result) answer = result;
      else {
        partition = result;
        moved = true;
        answer = null;
      }
    }
    if (answer) return answer;
    if (moved) this.#stack.push(partition);
    return this.#table(partition);
  }

  /** A partition to go on with, or an answer that ends there. */
  async #step(step: Step, partition: Partition): Promise<Partition | Answer> {
    const { heap } = this;
    const { set, way } = partition;
    const apart = (members: NodeSet) =>
      partitionOf(heap, members, way === 'id' || way === 'rcs' ? 'kind' : way);
    switch (step.do) {
      case 'rows':
        return partitionOf(heap, rowMembers(partition, step), way);
      case 'by':
        return partitionOf(heap, set, step.way);
      case 'referents':
        return apart(referentsOf(heap, set));
      case 'referrers':
        return apart(referrersOfSet(heap, set));
      case 'minus':
        return apart(minusHeap(heap, set, await this.#other(step.other)));
      case 'paths':
        return this.#paged(
          (from, limit) => pathsTo(heap, set, { from, limit }),
          (page) => page.paths.length,
        );
      case 'holders':
        return this.#paged(
          (from, limit) => holdersOf(heap, set, { from, limit }),
          (page) => page.rows.length,
        );
      case 'retained':
        return this.#table(partition, true);
      case 'stat':
        return this.#table(partition);
      case 'dump':
        return dump(partition, step.file);
      case 'all':
        return tableOf(partition, { limit: partition.rows });
      case 'more':
        return this.#more() ?? note('There is no more.');
      case 'back':
        if (this.#stack.length === 1) return note('This is where it began.');
        this.#stack.pop();
        return this.show();
      case 'top':
        this.#stack.length = 1;
        return this.show();
    }
  }

  #table(partition: Partition, retained = false): Answer {
    return this.#paged(
      (from, limit) =>
        tableOf(partition, { from, retained, ...(limit !== PAGE_ROWS && { limit }) }),
      (page) => page.rows.length,
    );
  }

  #paged<T extends Answer>(
    page: (from: number, limit: number) => T,
    shown: (page: T) => number,
  ): T {
    let from = 0;
    const next = () => {
      const found = page(from, PAGE_ROWS);
      from += shown(found);
      return found;
    };
    const first = next();
    this.#more = () => {
      const found = next();
      return shown(found) === 0 ? null : found;
    };
    return first;
  }
}

function rowMembers(partition: Partition, step: Step & { do: 'rows' }): NodeSet {
  const { rows } = partition;
  const at = (index: number) => (index < 0 ? rows + index : index);
  const from = at(step.from);
  if (!step.slice && (from < 0 || from >= rows)) {
    throw new UserError(`there is no row ${step.from}`, {
      hint: rows === 0 ? 'the set is empty' : `rows go from 0 to ${rows - 1}`,
    });
  }
  return membersOf(partition, from, step.slice ? at(step.to ?? rows) : from + 1);
}

function dump(partition: Partition, file: string): HeapNote {
  const text = [...writeHeapyStat(statOf(partition, Date.now() / 1000))].join('');
  orUserError(file, () => writeFileSync(file, text, { flag: 'wx' }), 'write');
  return note(`${partition.rows} rows written to ${file}; to see them: highwater heap ${file}`);
}

const note = (text: string): HeapNote => ({ type: 'heap-note', text });
