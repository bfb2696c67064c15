import { SECOND_NS } from '../../base/time.ts';
import { explainOom, type LineMark, placeStamps } from '../../formats/log-lines/index.ts';
import { IterationCount } from '../../model/iteration-count.ts';
import type { OomFigures } from '../../model/out-of-memory.ts';
import { TIME_FROM } from '../../model/schema.ts';
import type { AgentMark, Mark } from '../../sources/agent/kinds/mark.ts';
import type { ClockOrigin } from '../threads/messages.ts';

/** A line's own time is believed when it lies this close before its arrival … */
const MAX_DELAY_NS = 3600 * SECOND_NS;
/** … or this close after it: another clock on the same machine. */
const MAX_AHEAD_NS = SECOND_NS;

export interface MarkIntakeEvents {
  /** To be stored. */
  onMark(mark: Mark): void;
  /** Another iteration; how many there were. */
  onIteration(done: number, mark: Mark): void;
  /** A message that memory ran out, with its figures. */
  onOutOfMemory(ns: number, figures: OomFigures): void;
}

/** Takes marks, from the recorder itself, from lines and from agents, and gives them their time. */
export class MarkIntake {
  readonly #origin: ClockOrigin;
  readonly #startedAtMs = Date.now();
  readonly #events: MarkIntakeEvents;
  readonly #iterations = new IterationCount();
  /** Optimizers' steps, by process: several ranks step side by side. */
  readonly #steps = new Map<number | null, IterationCount>();

  /** `origin` is now: the recording's start on CLOCK_MONOTONIC. */
  constructor(origin: ClockOrigin, events: MarkIntakeEvents) {
    this.#origin = origin;
    this.#events = events;
  }

  /** Nanoseconds since the recording's start. */
  now(): number {
    const [seconds, ns] = process.hrtime([...this.#origin]);
    return seconds * SECOND_NS + ns;
  }

  /** The recorder's own. */
  add(kind: 'start' | 'end' | 'note', name: string, pid: number | null, time = this.now()): void {
    this.#take({ time, timeFrom: TIME_FROM.agent, pid, kind, name });
  }

  /** From a line that was just printed. */
  addLine(line: LineMark): void {
    const arrival = this.now() - (line.ageNs ?? 0);
    const { kind, epoch, iteration, value } = line;
    if (line.uncertain) {
      this.#count({
        time: arrival,
        timeFrom: TIME_FROM.arrival,
        pid: null,
        kind,
        name: '',
        iteration,
      });
      return;
    }
    const own = this.#ownTime(line, arrival);
    // What happened in the first line, what it means in those that follow.
    const name = [line.name, ...(line.oom ? explainOom(line.oom) : [])].join('\n');
    if (line.oom) this.#events.onOutOfMemory(own ?? arrival, line.oom);
    this.#take({
      time: own ?? arrival,
      timeFrom: own === null ? TIME_FROM.arrival : TIME_FROM.line,
      pid: null,
      kind,
      name,
      epoch,
      iteration,
      value,
    });
  }

  /** From inside a program. */
  addAgent(mark: AgentMark, pid: number, rank: number | null): void {
    const [seconds, ns] = this.#origin;
    const { kind, name, epoch, iteration, value } = mark;
    const time = mark.time - (seconds * SECOND_NS + ns);
    this.#take({
      time,
      timeFrom: TIME_FROM.agent,
      pid,
      rank,
      kind,
      name,
      epoch,
      iteration,
      value,
    });
  }

  #take(mark: Mark): void {
    this.#events.onMark(mark);
    if (mark.kind === 'iteration' || mark.kind === 'step') this.#count(mark);
  }

  /** What is printed may be each hundredth only, and what steps may be told thinned: the larger count is right. */
  #count(mark: Mark): void {
    const before = this.#done;
    this.#counterOf(mark).add(mark.iteration);
    if (mark.kind === 'iteration' || this.#done > before)
      this.#events.onIteration(this.#done, mark);
  }

  #counterOf({ kind, pid }: Mark): IterationCount {
    if (kind === 'iteration') return this.#iterations;
    let steps = this.#steps.get(pid);
    if (!steps) {
      steps = new IterationCount();
      this.#steps.set(pid, steps);
    }
    return steps;
  }

  get #done(): number {
    return Math.max(this.#iterations.done, ...[...this.#steps.values()].map((s) => s.done));
  }

  /** null for a line without a time, or with one of another zone, day or machine. */
  #ownTime(line: LineMark, arrival: number): number | null {
    if (!line.stamp) return null;
    const arrivalUnix = this.#startedAtMs / 1000 + arrival / SECOND_NS;
    const unix = placeStamps([line.stamp], { fileTime: arrivalUnix })[0]!;
    const time = (unix - this.#startedAtMs / 1000) * SECOND_NS;
    const fits = time <= arrival + MAX_AHEAD_NS && time >= arrival - MAX_DELAY_NS && time >= 0;
    return fits ? Math.round(time) : null;
  }
}
