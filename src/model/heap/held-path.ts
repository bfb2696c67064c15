/** Objects of a heap below the same holders, with their own bytes. */
export interface HeldPath {
  /** What alone keeps the next one alive, the outermost first; the last is what the objects are. */
  readonly path: readonly string[];
  readonly objects: number;
  readonly bytes: number;
}

/** All objects of a heap by who alone keeps them alive; the bytes below a holder are what it retains. */
export interface HeldPaths {
  /** What it is of, and when, in words. */
  readonly about: readonly string[];
  /** Milliseconds since 1970; null where the file does not tell. */
  readonly taken: number | null;
  readonly objects: number;
  readonly bytes: number;
  readonly paths: readonly HeldPath[];
}
