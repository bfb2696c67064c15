import type { backend_util } from '@tensorflow/tfjs-core';

export type ConvInfo = ReturnType<typeof backend_util.computeConv2DInfo>;

/** The number of elements in the matrix of patches of one image. */
export function patchesSize(info: ConvInfo): number {
  return info.outHeight * info.outWidth * patchLength(info);
}

export function patchLength(info: ConvInfo): number {
  return info.filterHeight * info.filterWidth * info.inChannels;
}

/**
 * Writes one row for each output pixel: the input pixels that the filter covers there, in the
 * order of the filter's elements, and zeros where the filter lies on the padding.
 */
export function gatherPatches(
  images: Float32Array,
  image: number,
  info: ConvInfo,
  patches: Float32Array,
): void {
  const { inHeight, inWidth, inChannels, filterHeight, strideHeight, strideWidth } = info;
  const run = info.filterWidth * inChannels;
  const start = image * inHeight * inWidth * inChannels;
  let to = 0;
  for (let y = 0; y < info.outHeight; y++) {
    const top = y * strideHeight - info.padInfo.top;
    for (let x = 0; x < info.outWidth; x++) {
      const left = (x * strideWidth - info.padInfo.left) * inChannels;
      const first = Math.max(0, -left);
      const last = Math.min(run, inWidth * inChannels - left);
      for (let r = 0; r < filterHeight; r++) {
        const row = top + r;
        if (row < 0 || row >= inHeight || first >= last) {
          for (let i = 0; i < run; i++) patches[to + i] = 0;
        } else {
          const from = start + row * inWidth * inChannels + left;
          for (let i = 0; i < first; i++) patches[to + i] = 0;
          for (let i = first; i < last; i++) patches[to + i] = images[from + i]!;
          for (let i = last; i < run; i++) patches[to + i] = 0;
        }
        to += run;
      }
    }
  }
}

/** Adds each element of the patches to the input pixel that it was gathered from. */
export function scatterPatches(
  patches: Float32Array,
  info: ConvInfo,
  images: Float32Array,
  image: number,
): void {
  const { inHeight, inWidth, inChannels, filterHeight, strideHeight, strideWidth } = info;
  const run = info.filterWidth * inChannels;
  const start = image * inHeight * inWidth * inChannels;
  let from = 0;
  for (let y = 0; y < info.outHeight; y++) {
    const top = y * strideHeight - info.padInfo.top;
    for (let x = 0; x < info.outWidth; x++) {
      const left = (x * strideWidth - info.padInfo.left) * inChannels;
      const first = Math.max(0, -left);
      const last = Math.min(run, inWidth * inChannels - left);
      for (let r = 0; r < filterHeight; r++) {
        const row = top + r;
        if (row >= 0 && row < inHeight) {
          const to = start + row * inWidth * inChannels + left;
          for (let i = first; i < last; i++) images[to + i]! += patches[from + i]!;
        }
        from += run;
      }
    }
  }
}
