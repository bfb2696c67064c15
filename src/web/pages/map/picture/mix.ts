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
