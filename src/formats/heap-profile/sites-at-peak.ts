import { doubled } from '../../base/typed-arrays.ts';

/**
 * Bytes and objects by site (a call stack, by its number) while allocations and frees go by, and what each had when the sum was
 * highest. What changed since the last peak is written down at the next one, so that an event costs the same however many sites there are.
 */
export class SitesAtPeak {
  bytes = new Float64Array(1024);
  objects = new Float64Array(1024);
  peakBytes = new Float64Array(1024);
  peakObjects = new Float64Array(1024);
  total = 0;
  peak = 0;
  #changed: number[] = [];
  #isChanged = new Uint8Array(1024);
  readonly #latest: boolean;

  /** `latest`: of moments that are as high, the last is meant. */
  constructor(latest = false) {
    this.#latest = latest;
  }

  change(site: number, bytes: number, objects: number): void {
    while (site >= this.bytes.length) this.#grow();
    this.bytes[site]! += bytes;
    this.objects[site]! += objects;
    this.total += bytes;
    if (this.#isChanged[site] === 0) {
      this.#isChanged[site] = 1;
      this.#changed.push(site);
    }
    if (this.total > this.peak || (this.#latest && this.total === this.peak)) this.#keep();
  }

  #keep(): void {
    this.peak = this.total;
    for (const site of this.#changed) {
      this.peakBytes[site] = this.bytes[site]!;
      this.peakObjects[site] = this.objects[site]!;
      this.#isChanged[site] = 0;
    }
    this.#changed.length = 0;
  }

  #grow(): void {
    this.bytes = doubled(this.bytes);
    this.objects = doubled(this.objects);
    this.peakBytes = doubled(this.peakBytes);
    this.peakObjects = doubled(this.peakObjects);
    this.#isChanged = doubled(this.#isChanged);
  }
}
