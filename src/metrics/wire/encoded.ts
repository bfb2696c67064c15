/** A request's body, and what says how it is written. */
export interface Encoded {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}
