export type Point = readonly [x: number, y: number];
export type Stroke = readonly Point[];

/** An arc of an ellipse as a polyline; angles in degrees, clockwise from the right. */
function arc(cx: number, cy: number, rx: number, ry: number, from: number, to: number): Point[] {
  const steps = Math.ceil(Math.abs(to - from) / 20);
  return Array.from({ length: steps + 1 }, (_, step): Point => {
    const angle = ((from + ((to - from) * step) / steps) * Math.PI) / 180;
    return [cx + rx * Math.cos(angle), cy + ry * Math.sin(angle)];
  });
}

function turned(strokes: readonly Stroke[]): Stroke[] {
  return strokes.map((stroke) => stroke.map(([x, y]): Point => [1 - x, 1 - y]));
}

const SIX: readonly Stroke[] = [
  arc(0.5, 0.68, 0.25, 0.24, 0, 360),
  arc(0.78, 0.66, 0.53, 0.6, 180, 255),
];

/** The strokes of each digit in a square of side one, with y downwards. */
export const GLYPHS: readonly (readonly Stroke[])[] = [
  [arc(0.5, 0.5, 0.28, 0.42, 0, 360)],
  [
    [
      [0.33, 0.27],
      [0.54, 0.08],
      [0.54, 0.92],
    ],
  ],
  [[...arc(0.49, 0.32, 0.26, 0.24, 190, 390), [0.24, 0.92], [0.78, 0.92]]],
  [[...arc(0.46, 0.29, 0.25, 0.21, 205, 440), ...arc(0.46, 0.71, 0.28, 0.22, 280, 515)]],
  [
    [
      [0.62, 0.92],
      [0.62, 0.08],
      [0.2, 0.65],
      [0.82, 0.65],
    ],
  ],
  [[[0.72, 0.08], [0.32, 0.08], [0.29, 0.45], ...arc(0.47, 0.65, 0.27, 0.26, 230, 510)]],
  SIX,
  [
    [
      [0.23, 0.08],
      [0.78, 0.08],
      [0.42, 0.92],
    ],
  ],
  [arc(0.5, 0.29, 0.21, 0.2, 0, 360), arc(0.5, 0.71, 0.25, 0.22, 0, 360)],
  turned(SIX),
];
