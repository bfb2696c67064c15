import { keras, tqdm } from './bars.ts';
import { counters } from './counters.ts';
import { MAX_LINE } from './line-splitter.ts';
import type { LineMark } from './mark.ts';
import { userMark } from './mark-pattern.ts';
import { oomIn, oomTitle } from './oom.ts';
import { Progress } from './progress.ts';
import { records } from './records.ts';
import { lineStamp } from './stamp.ts';

/**
 * Ordinary lines end here, after a quarter of a microsecond: each recogniser needs one of these.
 * In bounds and without nested repetition, so no line takes long in any of them.
 */
const INTERESTING = /iter|step|epoch|batch|loss|memory|alloc|kill|%\||it \[|oom/i;
const PROGRESS = /iter|step|epoch|batch|loss|%\||it \[/i;
const TROUBLE = /memory|alloc|kill|oom|RESOURCE_EXHAUSTED/i;

/** Reads marks from a program's lines, one line at a time. */
export class LineMarker {
  readonly #patterns: readonly RegExp[];
  /** Off where the user says how iterations or epochs look. */
  readonly #watchesProgress: boolean;
  readonly #progress = new Progress();
  #noted = -1;
  #lastOom = '';

  constructor(options: { patterns?: readonly RegExp[] } = {}) {
    this.#patterns = options.patterns ?? [];
    this.#watchesProgress = !this.#patterns.some((p) => /\(\?<(iteration|epoch)>/.test(p.source));
  }

  feed(line: string): LineMark[] {
    if (this.#patterns.length === 0 && !INTERESTING.test(line)) return [];
    const text = line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
    const marks = this.#read(text);
    if (marks.length === 0) return marks;
    const stamp = lineStamp(text);
    if (stamp) for (const mark of marks) mark.stamp ??= stamp;
    return marks;
  }

  #read(line: string): LineMark[] {
    const marks: LineMark[] = [];
    for (const pattern of this.#patterns) {
      const mark = userMark(pattern, line);
      if (mark) marks.push(mark);
    }
    if (TROUBLE.test(line)) {
      const oom = this.#oom(line);
      if (oom) return [...marks, oom];
    }
    if (this.#watchesProgress && PROGRESS.test(line)) marks.push(...this.#seeProgress(line));
    return marks;
  }

  #seeProgress(line: string): LineMark[] {
    const record = records(line);
    if (record) {
      const { sighting, epoch, value, stamp } = record;
      const marks = sighting ? this.#progress.see(sighting) : this.#seeEpoch(epoch ?? 0, value);
      if (stamp) for (const mark of marks) mark.stamp = stamp;
      return marks;
    }
    const sighting = tqdm(line) ?? keras(line) ?? (line.includes('%|') ? null : counters(line));
    return sighting ? this.#progress.see(sighting) : [];
  }

  /** `'epoch': 0.12` of a trainer that logs no step: a note with the loss, and an epoch when one is full. */
  #seeEpoch(epoch: number, value: number | undefined): LineMark[] {
    const marks = this.#progress.see({ counter: 'epoch', epoch: Math.floor(epoch) });
    if (epoch === this.#noted || value === undefined) return marks;
    this.#noted = epoch;
    marks.push({ kind: 'note', name: `loss ${value} at epoch ${epoch}`, epoch, value });
    return marks;
  }

  #oom(line: string): LineMark | null {
    const oom = oomIn(line);
    if (!oom) return null;
    // C++ and data loaders say it twice.
    const name = oomTitle(oom);
    if (name === this.#lastOom) return null;
    this.#lastOom = name;
    return { kind: 'oom', name, ...(oom.asked === undefined ? {} : { value: oom.asked }), oom };
  }
}
