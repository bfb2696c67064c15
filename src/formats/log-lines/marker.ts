import { keras, rich, tqdm } from './bars.ts';
import { CountedLines } from './counted-lines.ts';
import { counters } from './counters.ts';
import { MAX_LINE } from './line-splitter.ts';
import { type LineMark, lossIn } from './mark.ts';
import { userMark } from './mark-pattern.ts';
import { records } from './object-lines.ts';
import { bare } from './oom/bare-line.ts';
import { oomIn } from './oom/index.ts';
import { Traceback } from './oom/traceback.ts';
import { oomTitle } from './oom/words.ts';
import { type RepeatedLine, repeatedLine } from './repeated-line.ts';
import { RequestLines } from './requests.ts';
import { lineStamp } from './stamp.ts';
import { TrainingProgress } from './training-progress.ts';

/**
 * Ordinary lines end here, after a quarter of a microsecond: each recogniser needs one of these.
 * In bounds and without nested repetition, so no line takes long in any of them.
 */
const INTERESTING =
  /iter|step|ep(?:och|isode)|batch|loss|memory|alloc|kill|%\||it \[|oom|━|request|HTTP\/|\[GIN\]/i;
const REQUEST = /request|HTTP\/|\[GIN\]/i;
const PROGRESS = /iter|step|ep(?:och|isode)|batch|loss|%\||it \[|━/i;
const TROUBLE = /memory|alloc|kill|oom|RESOURCE_EXHAUSTED/i;

/** Reads marks from a program's lines, one line at a time. */
export class LineMarker {
  readonly #patterns: readonly RegExp[];
  /** Off where the user says how iterations or epochs look. */
  readonly #watchesProgress: boolean;
  readonly #progress = new TrainingProgress();
  #noted = -1;
  #lastOom = '';
  readonly #requests = new RequestLines();
  readonly #traceback = new Traceback();
  readonly #counted: CountedLines | null;
  /** Off while lines come too fast to be compared with each other. */
  comparesLines = true;
  #repeated: RepeatedLine | null = null;

  /** `counts`: also mark lines that count something of which nobody knows what it is, until an iteration is told. */
  constructor(options: { patterns?: readonly RegExp[]; counts?: boolean } = {}) {
    this.#patterns = options.patterns ?? [];
    this.#watchesProgress = !this.#patterns.some((p) => /\(\?<(iteration|epoch)>/.test(p.source));
    this.#counted = options.counts && this.#watchesProgress ? new CountedLines() : null;
  }

  feed(line: string): LineMark[] {
    if (line.includes('.py') || line.includes('Traceback')) this.#traceback.push(bare(line));
    else this.#traceback.skip();
    if (this.#patterns.length === 0 && !INTERESTING.test(line)) return this.#count(line);
    const text = line.length > MAX_LINE ? line.slice(0, MAX_LINE) : line;
    const marks = this.#read(text);
    if (marks.length === 0) return this.#count(line);
    const stamp = lineStamp(text);
    if (stamp) for (const mark of marks) mark.stamp ??= stamp;
    const last = marks.at(-1)!;
    this.#repeated =
      last.kind === 'iteration' && this.#patterns.length === 0
        ? repeatedLine(text, last, stamp !== null)
        : null;
    return marks;
  }

  /**
   * The number of a line that is like the last iteration's but for its figures, and counts on; null
   * for any other, which `feed` is for. Ten times as fast: some programs print little else.
   */
  next(line: string): number | null {
    const iteration = this.#repeated?.numberIn(line) ?? null;
    if (iteration === null || TROUBLE.test(line)) return null;
    if (!this.#progress.goOn(iteration)) return null;
    this.#traceback.skip();
    return iteration;
  }

  /** The mark of a line that `next` knew. */
  markOf(line: string, iteration: number, epoch: number | null): LineMark {
    const mark: LineMark = { kind: 'iteration', name: `iteration ${iteration}`, iteration };
    const value = lossIn(line);
    const stamp = lineStamp(line);
    if (epoch !== null) mark.epoch = epoch;
    if (value !== undefined) mark.value = value;
    if (stamp) mark.stamp = stamp;
    return mark;
  }

  /** The epoch that iterations belong to now. */
  get epoch(): number | null {
    return this.#progress.within;
  }

  /** Whether lines like the last iteration's tell when they were printed. */
  get tellsTime(): boolean {
    return this.#repeated?.stamped ?? false;
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
    if (REQUEST.test(line)) {
      const seen = this.#requests.see(line);
      if (seen) return [...marks, { kind: 'request', name: seen.form, iteration: seen.number }];
    }
    if (this.#watchesProgress && PROGRESS.test(line)) marks.push(...this.#seeProgress(line));
    return marks;
  }

  #count(line: string): LineMark[] {
    const number =
      this.#progress.counts || !this.comparesLines ? null : (this.#counted?.see(line) ?? null);
    if (number === null) return [];
    const mark: LineMark = { kind: 'count', name: `count ${number}`, iteration: number };
    const stamp = lineStamp(line);
    if (stamp) mark.stamp = stamp;
    return [mark];
  }

  #seeProgress(line: string): LineMark[] {
    const record = records(line);
    if (record) {
      const { sighting, epoch, value, stamp } = record;
      const marks = sighting ? this.#progress.see(sighting) : this.#seeEpoch(epoch ?? 0, value);
      if (stamp) for (const mark of marks) mark.stamp = stamp;
      return marks;
    }
    const isBar = line.includes('%|') || line.includes('━');
    const sighting = tqdm(line) ?? keras(line) ?? rich(line) ?? (isBar ? null : counters(line));
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
    // A recorder knows better than a shell why a process was killed.
    if (!oom || oom.unexplained) return null;
    // C++ and data loaders say it twice.
    const name = oomTitle(oom);
    if (name === this.#lastOom) return null;
    this.#lastOom = name;
    const frameworks = this.#traceback.frameworks();
    const value = oom.asked === undefined ? {} : { value: oom.asked };
    const told = frameworks.length > 0 ? { ...oom, frameworks } : oom;
    return { kind: 'oom', name, ...value, oom: told };
  }
}
