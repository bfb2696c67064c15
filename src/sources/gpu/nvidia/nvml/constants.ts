/** Figures of nvml.h, as far as we need them. */

export const CODE = {
  ok: 0,
  notSupported: 3,
  insufficientSize: 7,
  functionNotFound: 13,
  versionMismatch: 25,
} as const;

/** sizeof(nvmlMemory_v2_t), and the version that the caller writes into it. */
export const MEMORY_V2_BYTES = 40;
export const MEMORY_V2 = MEMORY_V2_BYTES | (2 << 24);

/** Long enough for every text of NVML (a UUID of a MIG device is the longest, 96). */
export const TEXT_BYTES = 128;

/** The upper half of `usedGpuMemory` where the driver does not tell: all its bits are set. */
export const NOT_AVAILABLE = 0xffff_ffff;

const TWO_32 = 2 ** 32;

/** A 64-bit figure out of two words, little endian; exact up to 2^53, which is 8 PiB. */
export function u64(words: Uint32Array, at: number): number {
  return words[at + 1]! * TWO_32 + words[at]!;
}
