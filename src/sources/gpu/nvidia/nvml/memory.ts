import type { CardMemory } from '../../backend.ts';
import type { Call, Handle, Nvml } from './binding.ts';
import { CODE, MEMORY_V2, MEMORY_V2_BYTES, u64 } from './constants.ts';

/**
 * Reads a card's memory into `into` and returns NVML's code. The second version of the call tells
 * what the driver reserves apart from what is used, as nvidia-smi does; the first counts it as used.
 */
export class MemoryReader {
  readonly #second: Call | null;
  readonly #first: Call | null;
  readonly #words = new Uint32Array(MEMORY_V2_BYTES / 4);

  constructor(nvml: Nvml) {
    this.#second = nvml.optional('nvmlDeviceGetMemoryInfo_v2', 'uintptr_t device, void *memory');
    this.#first = nvml.optional('nvmlDeviceGetMemoryInfo', 'uintptr_t device, void *memory');
  }

  /** Whether reserved memory is told apart: asked of a card, as also the driver has to know how. */
  separates(handle: Handle): boolean {
    this.#words[0] = MEMORY_V2;
    const code = this.#second?.(handle, this.#words) ?? CODE.functionNotFound;
    return code !== CODE.functionNotFound && code !== CODE.versionMismatch;
  }

  read(handle: Handle, separates: boolean, into: CardMemory): number {
    const words = this.#words;
    const call = separates ? this.#second : this.#first;
    if (!call) return CODE.functionNotFound;
    words[0] = MEMORY_V2;
    const code = call(handle, words);
    if (code !== CODE.ok) {
      into.used = into.reserved = into.free = into.total = Number.NaN;
      return code;
    }
    // version (and padding), total, reserved, free, used; or total, free, used.
    into.total = u64(words, separates ? 2 : 0);
    into.reserved = separates ? u64(words, 4) : Number.NaN;
    into.free = u64(words, separates ? 6 : 2);
    into.used = u64(words, separates ? 8 : 4);
    return code;
  }
}
