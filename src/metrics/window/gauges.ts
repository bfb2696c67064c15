import { METRICS, type Metric, type MetricKey } from '../list.ts';

/** Labels beside those that all series of a run have; none where it has none. */
export type Labels = Readonly<Record<string, string>>;

/** What a window has to say of one series: its last value and its largest, where that is a metric too. */
export interface Point {
  readonly metric: MetricKey;
  readonly labels: Labels;
  readonly last: number;
  readonly peak: number | null;
}

const NO_LABELS: Labels = {};

/** The largest and the last value of a series in the window that is open. */
export class Gauge {
  readonly metric: MetricKey;
  readonly labels: Labels;
  /** It holds until something else is said: a window without a value has the last one. */
  readonly #stays: boolean;
  #last = Number.NaN;
  #peak = Number.NaN;

  constructor(metric: MetricKey, labels: Labels, stays: boolean) {
    this.metric = metric;
    this.labels = labels;
    this.#stays = stays;
  }

  /** NaN is not measured, and says nothing. */
  note(value: number): void {
    if (Number.isNaN(value)) return;
    this.#last = value;
    if (!(value <= this.#peak)) this.#peak = value;
  }

  noteAll(values: Float64Array): void {
    let [last, peak] = [this.#last, this.#peak];
    for (let row = 0; row < values.length; row++) {
      const value = values[row]!;
      if (Number.isNaN(value)) continue;
      last = value;
      if (!(value <= peak)) peak = value;
    }
    this.#last = last;
    this.#peak = peak;
  }

  /** What the window had; null where that is nothing. */
  close(): Point | null {
    const { metric, labels } = this;
    const [last, peak] = [this.#last, this.#peak];
    if (Number.isNaN(peak)) return null;
    if (!this.#stays) this.#last = Number.NaN;
    this.#peak = this.#stays ? last : Number.NaN;
    return { metric, labels, last, peak: (METRICS[metric] as Metric).peak ? peak : null };
  }
}

/** The gauges of a run, each made when first asked for. */
export class Gauges {
  readonly #gauges = new Map<string, Gauge>();

  of(metric: MetricKey, labels: Labels = NO_LABELS, stays = false): Gauge {
    const key = `${metric} ${Object.values(labels).join(' ')}`;
    let gauge = this.#gauges.get(key);
    if (!gauge) {
      gauge = new Gauge(metric, labels, stays || METRICS[metric].kind === 'counter');
      this.#gauges.set(key, gauge);
    }
    return gauge;
  }

  /** There is nothing more behind it. */
  drop(gauge: Gauge): void {
    for (const [key, one] of this.#gauges) if (one === gauge) this.#gauges.delete(key);
  }

  close(): Point[] {
    return [...this.#gauges.values()].flatMap((gauge) => gauge.close() ?? []);
  }
}
