import { KiB, MiB } from '../../../../base/bytes.ts';
import { type HeldFile, numberAt, openOrNull } from '../../../proc.ts';
import type { Machine } from '../../../source.ts';
import { CODE } from './constants.ts';

/** Reading it costs more than asking a card: no more often than the host's samples at their usual rate. */
const PAUSE_NS = 10e6;

/** The machine's memory, for GPUs that have none of their own (GB10 of DGX Spark, Jetson). */
export class MachineMemory {
  readonly #buffer = Buffer.alloc(16_384);
  readonly #file: HeldFile | null;
  #due = Number.NEGATIVE_INFINITY;
  /** Bytes. */
  total = Number.NaN;
  available = Number.NaN;

  constructor({ proc }: Machine) {
    this.#file = openOrNull(`${proc}/meminfo`, this.#buffer);
    this.read(0);
  }

  read(time: number): void {
    if (time < this.#due) return;
    this.#due = time + PAUSE_NS;
    const length = this.#file?.read() ?? -1;
    this.total = this.#field('MemTotal:', length);
    this.available = this.#field('MemAvailable:', length);
  }

  /**
   * Whether a card's answer means that it takes its memory from the machine: drivers say that they cannot tell, or give
   * the machine's own total as the card's.
   */
  isThatOf(code: number, total: number): boolean {
    if (code === CODE.notSupported) return true;
    return code === CODE.ok && Math.abs(total - this.total) < MiB;
  }

  close(): void {
    this.#file?.close();
  }

  #field(label: string, length: number): number {
    const at = this.#buffer.indexOf(label);
    if (at < 0 || at >= length) return Number.NaN;
    return numberAt(this.#buffer, at + label.length, length) * KiB;
  }
}
