/** The newest figures, in memory that the sampling thread writes and the main thread reads. */
const FIELDS = [
  'ticks',
  'missed',
  'stolenShare',
  'current',
  'peak',
  'peakTime',
  'processes',
  'hostUsed',
  'hostPeak',
  'gpu',
  'gpuUsed',
] as const;

export type LiveField = (typeof FIELDS)[number];

/** Where a field lies; written at each tick, so not searched for. */
const PLACE = Object.fromEntries(FIELDS.map((field, place) => [field, place])) as Record<
  LiveField,
  number
>;

export class LiveFigures {
  readonly shared: SharedArrayBuffer;
  readonly #values: Float64Array;

  constructor(shared = new SharedArrayBuffer(FIELDS.length * 8)) {
    this.shared = shared;
    this.#values = new Float64Array(shared);
  }

  get(field: LiveField): number {
    return this.#values[PLACE[field]]!;
  }

  set(field: LiveField, value: number): void {
    this.#values[PLACE[field]] = value;
  }
}
