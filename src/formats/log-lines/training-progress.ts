import type { LineMark, Sighting } from './mark.ts';

/** After so many lines of another counter the one that was followed is not coming back. */
const PATIENCE = { bar: 2000, counter: 50 };

/**
 * Decides which sightings are news. One counter is followed at a time: an evaluation's bar within a
 * training, or ranks that repeat each other's lines, must not shake the count. A counter that goes
 * back is believed only where an epoch was announced, or where it begins again at its own beginning;
 * no epoch is ever made up.
 */
export class TrainingProgress {
  #epoch: number | null = null;
  #firstEpoch = 0;
  #iteration: number | null = null;
  #first = 0;
  /** Iterations since the counter began. */
  #seen = 0;
  #counter: string | null = null;
  #finished = false;
  #others = 0;
  /** An epoch was announced, and no iteration of it seen yet. */
  #fresh = false;
  /** The counter still runs in the epoch that was announced last. */
  #within = false;
  #phase = '';

  see(sighting: Sighting): LineMark[] {
    if (sighting.phase !== undefined) return this.#atPhase(sighting);
    const { epoch, iteration, value, needsEpoch } = sighting;
    if (needsEpoch && (this.#epoch === null || (this.#finished && !this.#fresh))) return [];
    if (iteration !== undefined && !this.#follows(sighting)) return [];
    const marks: LineMark[] = [];
    if (epoch !== undefined && epoch !== this.#epoch) {
      if (!this.#opens(epoch)) return [];
      const alone = iteration === undefined && value !== undefined ? { value } : {};
      marks.push({ kind: 'epoch', name: `epoch ${epoch}`, epoch, ...alone });
    }
    if (iteration !== undefined && this.#advances(sighting, iteration)) {
      const mark: LineMark = { kind: 'iteration', name: `iteration ${iteration}`, iteration };
      const within = epoch ?? (this.#within ? this.#epoch : null);
      if (within !== null) mark.epoch = within;
      if (value !== undefined) mark.value = value;
      marks.push(mark);
    }
    return marks;
  }

  /** Whether iterations were told. */
  get counts(): boolean {
    return this.#seen > 2;
  }

  /** The epoch that iterations now belong to; null for none. */
  get within(): number | null {
    return this.#within ? this.#epoch : null;
  }

  /** The counter that is followed went on to this number, for sure; false where that is no news. */
  goOn(iteration: number): boolean {
    if (this.#iteration === null || iteration <= this.#iteration) return false;
    this.#iteration = iteration;
    this.#seen++;
    this.#others = 0;
    return true;
  }

  /** Whether this is the counter that is followed, or becomes it. */
  #follows({ counter }: Sighting): boolean {
    if (counter === this.#counter) {
      this.#others = 0;
      return true;
    }
    this.#others++;
    const patience = counter.startsWith('bar') ? PATIENCE.bar : PATIENCE.counter;
    if (this.#counter !== null && !this.#finished && this.#others <= patience) return false;
    this.#counter = counter;
    this.#others = 0;
    if (!this.#fresh) this.#within = false;
    this.#begin();
    return true;
  }

  /** Whether an epoch is a new one: a later one, or the first again (another training). */
  #opens(epoch: number): boolean {
    const last = this.#epoch;
    // One step back is another rank that lags behind.
    if (last !== null && epoch < last && (epoch > this.#firstEpoch || last - epoch < 2)) {
      return false;
    }
    if (last === null || epoch < last) this.#firstEpoch = epoch;
    this.#epoch = epoch;
    this.#fresh = true;
    this.#within = true;
    this.#begin();
    return true;
  }

  #begin(): void {
    this.#iteration = null;
    this.#seen = 0;
    this.#finished = false;
  }

  #advances({ total, needsEpoch }: Sighting, iteration: number): boolean {
    const last = this.#iteration;
    if (last === iteration) return false;
    if (last !== null && iteration < last) {
      const again = iteration <= this.#first && this.#seen > 2 && !needsEpoch;
      if (!again) return false;
      this.#within = false;
      this.#begin();
    }
    if (this.#iteration === null) this.#first = iteration;
    this.#iteration = iteration;
    this.#seen++;
    this.#fresh = false;
    this.#finished = total !== undefined && iteration >= total;
    return true;
  }

  #atPhase({ phase = '', iteration }: Sighting): LineMark[] {
    const key = `${phase} ${iteration}`;
    if (key === this.#phase) return [];
    this.#phase = key;
    return [{ kind: 'phase', name: phase, ...(iteration === undefined ? {} : { iteration }) }];
  }
}
