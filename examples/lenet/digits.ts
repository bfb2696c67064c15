import type { Point } from './glyphs.ts';
import { GLYPHS } from './glyphs.ts';
import type { Random } from './random.ts';
import { between } from './random.ts';

export const SIDE = 28;
export const PIXELS = SIDE * SIDE;
export const CLASSES = GLYPHS.length;

/** Images one after the other, row by row, from 0 (paper) to 1 (ink), and what each one shows. */
export interface DigitSet {
  readonly count: number;
  readonly pixels: Float32Array;
  readonly labels: Uint8Array;
}

export function generateDigits(count: number, random: Random): DigitSet {
  const pixels = new Float32Array(count * PIXELS);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const label = Math.floor(random() * CLASSES);
    labels[i] = label;
    drawDigit(pixels.subarray(i * PIXELS, (i + 1) * PIXELS), label, random);
  }
  return { count, pixels, labels };
}

/** Draws one digit as another hand would: moved, scaled, slanted, of another width, with noise. */
export function drawDigit(image: Float32Array, digit: number, random: Random): void {
  const place = randomPlacement(random);
  const radius = between(random, 0.8, 1.7);
  for (const stroke of GLYPHS[digit]!) {
    for (let i = 1; i < stroke.length; i++) {
      drawSegment(image, place(stroke[i - 1]!), place(stroke[i]!), radius);
    }
  }
  const noise = between(random, 0.05, 0.25);
  for (let i = 0; i < image.length; i++) {
    image[i] = clamp(image[i]! + between(random, -noise, noise));
  }
}

function randomPlacement(random: Random): (point: Point) => Point {
  const width = between(random, 15, 21);
  const height = between(random, 17, 22);
  const slant = between(random, -0.2, 0.2);
  const angle = between(random, -0.2, 0.2);
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const x0 = SIDE / 2 + between(random, -2, 2);
  const y0 = SIDE / 2 + between(random, -2, 2);
  return ([x, y]) => {
    const v = (y - 0.5) * height;
    const u = (x - 0.5) * width - slant * v;
    return [x0 + u * cos - v * sin, y0 + u * sin + v * cos];
  };
}

function drawSegment(image: Float32Array, from: Point, to: Point, radius: number): void {
  const reach = radius + 1;
  const left = Math.max(0, Math.floor(Math.min(from[0], to[0]) - reach));
  const right = Math.min(SIDE - 1, Math.ceil(Math.max(from[0], to[0]) + reach));
  const top = Math.max(0, Math.floor(Math.min(from[1], to[1]) - reach));
  const bottom = Math.min(SIDE - 1, Math.ceil(Math.max(from[1], to[1]) + reach));
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      // The last half pixel fades, so that an edge between two pixels is grey and not a staircase.
      const ink = clamp(radius + 0.5 - distance(x + 0.5, y + 0.5, from, to));
      const at = y * SIDE + x;
      if (ink > image[at]!) image[at] = ink;
    }
  }
}

/** The distance from a point to a segment. */
function distance(x: number, y: number, from: Point, to: Point): number {
  const dx = to[0] - from[0];
  const dy = to[1] - from[1];
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : ((x - from[0]) * dx + (y - from[1]) * dy) / square;
  const t = clamp(along);
  return Math.hypot(x - from[0] - t * dx, y - from[1] - t * dy);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
