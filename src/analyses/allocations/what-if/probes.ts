import { goOn, type Progress } from '../replay/replay.ts';
import type { Replayed, ReplayOptions } from '../replay/replayed.ts';
import type { Requests } from '../replay/requests.ts';
import { Simulation, type Standing } from '../replay/simulation.ts';

/** The limits that are still of interest: above the first, below the second. */
export interface Bracket {
  readonly above: number;
  readonly below: number;
}

/** Moments of one probe that are kept lie at least this share of the program apart, or so many events: less is not worth a copy. */
const APART = 1 / 64;
const APART_EVENTS = 128;
/** Each takes room: the earliest goes where there would be more. */
const MOST_KEPT = 24;

/**
 * Replays of one program under several limits. Up to any moment a run is the same with every limit between the most that it had
 * reserved and the least that it was refused. So the moments are kept at which a probe does what another limit would have done
 * otherwise, and each probe goes on from the latest of them up to which it is the same.
 */
export class Probes {
  readonly #program: Requests;
  readonly #options: Omit<ReplayOptions, 'limit'>;
  #kept: Standing[] = [];
  #events = 0;

  constructor(program: Requests, options: Omit<ReplayOptions, 'limit'>) {
    this.#program = program;
    this.#options = options;
  }

  /** So many were replayed, in all probes together. */
  get events(): number {
    return this.#events;
  }

  run(bytes: number, bracket: Bracket, progress: Progress): Replayed {
    this.#kept = this.#kept.filter((moment) => mayServe(moment, bracket));
    const probe = this.#begun(bytes);
    const from = probe.next;
    this.#keepMoments(probe, bytes, bracket);
    goOn(probe, this.#program.events, progress);
    this.#events += probe.next - from;
    return probe.replayed();
  }

  #begun(bytes: number): Simulation {
    const limit = { bytes, by: 'device' } as const;
    let latest: Standing | null = null;
    for (const moment of this.#kept) {
      if (isSame(moment, bytes) && moment.next > (latest?.next ?? 0)) latest = moment;
    }
    return latest
      ? Simulation.from(this.#program, latest, limit)
      : Simulation.begin(this.#program, { ...this.#options, limit });
  }

  #keepMoments(probe: Simulation, bytes: number, { above, below }: Bracket): void {
    const { heap } = probe;
    let from = probe.next;
    heap.beforeFetch = (more) => {
      const then = heap.reserved + more;
      const [high, low] = [Math.max(heap.peak.reserved, above), Math.min(heap.partsAt, below)];
      // A lower limit would refuse what this one allows, or a higher one allow what this one refuses.
      const parts = then <= bytes ? then > high : then < low;
      if (!parts || probe.next < from) return;
      from = probe.next + Math.max(APART_EVENTS, this.#program.events * APART);
      this.#kept.push(probe.standing());
      if (this.#kept.length > MOST_KEPT) this.#kept.sort((a, b) => a.next - b.next).shift();
    };
  }
}

const isSame = ({ heap: { peak, partsAt } }: Standing, bytes: number) =>
  peak.reserved <= bytes && bytes < partsAt;

const mayServe = ({ heap }: Standing, { above, below }: Bracket) =>
  heap.peak.reserved < below && heap.partsAt > above + 1;
