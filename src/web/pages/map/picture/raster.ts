import { type ColorScheme, SCHEME_COLORS, type SchemeColors } from './colors.ts';

/** However little there is of something in a pixel, it can be seen. */
const FAINTEST = 0.2;

/** 0xRRGGBB as a pixel of a little-endian RGBA picture. */
export const opaque = (color: number) =>
  ((255 << 24) | ((color & 255) << 16) | (color & 0xff00) | (color >> 16)) >>> 0;

/** A pixel that `cover` of is covered with colours whose shares add up to r, g and b. */
export function mixed(cover: number, r: number, g: number, b: number, under: number): number {
  const alpha = cover >= 1 ? 1 : Math.max(cover, FAINTEST);
  const scale = alpha / cover;
  const rest = 1 - alpha;
  return (
    (255 << 24) |
    ((b * scale + (under & 255) * rest) << 16) |
    ((g * scale + ((under >> 8) & 255) * rest) << 8) |
    (r * scale + (under >> 16) * rest)
  );
}

/**
 * Colours that pile up: every rectangle adds its exact share of each pixel that it touches, so that
 * a million allocations too small for a pixel still make the shade that they should.
 */
export class Raster {
  readonly width: number;
  readonly height: number;
  /** Four numbers a pixel, side by side as they are needed together: share covered, red, green, blue. */
  readonly #sums: Float32Array;
  /** 1 where the allocator held memory. */
  readonly #isHeld: Uint8Array;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.#sums = new Float32Array(4 * width * height);
    this.#isHeld = new Uint8Array(width * height);
  }

  clear(): void {
    this.#sums.fill(0);
    this.#isHeld.fill(0);
  }

  /** In pixels from the top left; `color` is 0xRRGGBB. */
  add(left: number, top: number, right: number, bottom: number, color: number): void {
    const { width, height } = this;
    const x0 = Math.max(left, 0);
    const y0 = Math.max(top, 0);
    const x1 = Math.min(right, width);
    const y1 = Math.min(bottom, height);
    if (!(x1 > x0 && y1 > y0)) return;
    const sums = this.#sums;
    const r = color >> 16;
    const g = (color >> 8) & 255;
    const b = color & 255;
    const fromX = x0 | 0;
    for (let y = y0 | 0; y < y1; y++) {
      const high = Math.min(y + 1, y1) - Math.max(y, y0);
      let at = 4 * (y * width + fromX);
      for (let x = fromX; x < x1; x++, at += 4) {
        const share = high * (Math.min(x + 1, x1) - Math.max(x, x0));
        sums[at]! += share;
        sums[at + 1]! += share * r;
        sums[at + 2]! += share * g;
        sums[at + 3]! += share * b;
      }
    }
  }

  markHeld(left: number, top: number, right: number, bottom: number): void {
    const [x0, x1] = [Math.max(0, Math.floor(left)), Math.min(this.width, Math.ceil(right))];
    const [y0, y1] = [Math.max(0, Math.floor(top)), Math.min(this.height, Math.ceil(bottom))];
    for (let y = y0; y < y1 && x1 > x0; y++) {
      this.#isHeld.fill(1, y * this.width + x0, y * this.width + x1);
    }
  }

  /** `pixels`: RGBA. */
  writePixels(pixels: Uint32Array, background: number, held: number): void {
    const [sums, marks] = [this.#sums, this.#isHeld];
    const bare = [opaque(background), opaque(held)];
    for (let pixel = 0, at = 0; pixel < pixels.length; pixel++, at += 4) {
      const cover = sums[at]!;
      const isHeld = marks[pixel]!;
      pixels[pixel] =
        cover === 0
          ? bare[isHeld]!
          : mixed(cover, sums[at + 1]!, sums[at + 2]!, sums[at + 3]!, isHeld ? held : background);
    }
  }
}

/** What a picture is drawn on; kept from frame to frame, as its memory is large. */
export interface PixelBuffer {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly pixels: Uint32Array<ArrayBuffer>;
  readonly raster: Raster;
  readonly colors: SchemeColors;
}

export function makePixelBuffer(width: number, height: number, scheme: ColorScheme): PixelBuffer {
  return {
    width,
    height,
    pixels: new Uint32Array(width * height),
    raster: new Raster(width, height),
    colors: SCHEME_COLORS[scheme],
  };
}
