/** A part of a card's memory, with the moment at which it was read. */
export interface Part {
  readonly what: string;
  readonly bytes: number;
  readonly from: string;
  readonly ns: number;
  readonly pid: number | null;
  /** Of what is live: what tensors asked for, without the rounding of blocks. */
  readonly requestedBytes?: number;
}
