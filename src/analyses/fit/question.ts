/** One run: its parameters as given, and each figure that it left, in bytes. */
export interface FitRun {
  readonly params: Readonly<Record<string, string>>;
  readonly figures: Readonly<Record<string, number>>;
  /** It ended for lack of memory: it needed more than its figures say. */
  readonly outOfMemory: boolean;
}

/** Which figure is which. */
export interface Measures {
  /** What a run holds and nobody else can have: held against the limit. */
  readonly held: string;
  /** What of that is in use, where a cache is known apart; else null. */
  readonly live: string | null;
  /** All other figures that are worth a prediction: the whole device, categories, phases. */
  readonly others: readonly string[];
}

/** What on the device is not the run's. */
export interface InUse {
  readonly bytes: number;
  /** What it is, in a few words. */
  readonly what: string;
}

export interface FitQuestion {
  /** The size of the device or machine. */
  readonly limitBytes: number;
  readonly inUse: InUse;
  /** The combination that is asked about; null: only for the largest that fits. */
  readonly at: Readonly<Record<string, string>> | null;
}
