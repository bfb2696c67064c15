/** Somewhere that finished recordings can be pushed to. */
export interface PushTarget {
  /** How its addresses look, for help and errors. */
  readonly address: string;
  takes(url: string): boolean;
  /** The exit code. */
  push(inputs: readonly string[], url: string): Promise<number>;
}
