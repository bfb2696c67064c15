import { GiB, KiB, MiB } from '../../base/bytes.ts';
import { FormatError } from '../../base/errors.ts';

/**
 * `free` and `vmstat` do not print the unit of their numbers, and -b, -m, -g, -S M change it. But
 * the kernel counts whole pages: in KiB every number is a multiple of 4, in bytes of 1024, and in
 * any other unit sooner or later one is not. What that does not decide is refused.
 */
export class UnitFinder {
  readonly #values = new Set<number>();
  #odd: { value: number; line: number } | null = null;
  #bytes = true;
  #largest = 0;

  see(value: number, line: number): void {
    if (value === 0) return;
    if (value % 4 !== 0) this.#odd ??= { value, line };
    if (value % KiB !== 0) this.#bytes = false;
    if (value > this.#largest) this.#largest = value;
    if (this.#values.size < ENOUGH) this.#values.add(value);
  }

  /** Bytes of one unit. */
  decide(name: string, line: number, tool: 'free' | 'vmstat'): number {
    const distinct = this.#values.size;
    if (this.#odd) {
      throw undecided(
        `${name}, line ${this.#odd.line}: ${this.#odd.value} is neither KiB nor bytes, which are whole pages`,
        tool,
      );
    }
    if (this.#bytes && distinct >= 3 && this.#largest >= 64 * MiB) return 1;
    // By chance alone one number in four looks like whole pages.
    const sure = distinct >= ENOUGH || (distinct >= 3 && this.#largest * KiB >= GiB);
    if (sure && this.#largest * KiB >= 16 * MiB) return KiB;
    throw undecided(`${name}, line ${line}: too few numbers to tell their unit`, tool);
  }
}

const ENOUGH = 6;

function undecided(message: string, tool: 'free' | 'vmstat'): FormatError {
  const option = tool === 'free' ? '-m' : '-S M';
  return new FormatError(message, {
    hint: `say it: --unit MiB for ${tool} ${option}, or KiB, GiB, B, MB`,
  });
}
