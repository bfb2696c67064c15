/** How far colours are apart, for eyes of every kind: WCAG's contrast, CIEDE2000, and Machado, Oliveira and Fernandes' simulation (2009). */

type Triple = readonly [number, number, number];

export type Vision = 'normal' | 'protanopia' | 'deuteranopia' | 'tritanopia';
export const VISIONS: readonly Vision[] = ['normal', 'protanopia', 'deuteranopia', 'tritanopia'];

/** What each kind of eye makes of linear light, at full severity. */
const SEEN: Readonly<Record<Vision, readonly Triple[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Red, green and blue light, 0 to 1, of `#rrggbb`. */
export function light(hex: string): Triple {
  const part = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

const times = (rows: readonly Triple[], [a, b, c]: Triple): Triple =>
  rows.map(([x, y, z]) => x * a + y * b + z * c) as unknown as Triple;

const luminance = (hex: string) => {
  const [r, g, b] = light(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/** WCAG's contrast, 1 to 21. */
export function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const XYZ: readonly Triple[] = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
const WHITE: Triple = [0.95047, 1, 1.08883];

function lab(hex: string, vision: Vision): Triple {
  const seen = times(SEEN[vision], light(hex)).map((value) => Math.min(1, Math.max(0, value)));
  const [x, y, z] = times(XYZ, seen as unknown as Triple).map((value, i) => {
    const share = value / WHITE[i]!;
    return share > 216 / 24389 ? Math.cbrt(share) : (share * 24389) / 27 / 116 + 16 / 116;
  }) as unknown as Triple;
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIEDE2000 between two colours as an eye sees them; 1 is hardly to be noticed side by side. */
export function distance(one: string, other: string, vision: Vision): number {
  const [[l1, a1, b1], [l2, a2, b2]] = [lab(one, vision), lab(other, vision)];
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)));
  const [x1, x2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(x1, b1), Math.hypot(x2, b2)];
  const hue = (x: number, y: number) => (Math.atan2(y, x) * DEGREES + 360) % 360;
  const [h1, h2] = [hue(x1, b1), hue(x2, b2)];
  const grey = c1 * c2 === 0;
  const turn = grey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const dH = 2 * Math.sqrt(c1 * c2) * Math.sin(turn / 2 / DEGREES);
  const [lm, cm] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const sum = h1 + h2;
  const hm = grey ? sum : Math.abs(h1 - h2) <= 180 ? sum / 2 : (sum + (sum < 360 ? 360 : -360)) / 2;
  const cosine = (degrees: number) => Math.cos(degrees / DEGREES);
  const t =
    1 -
    0.17 * cosine(hm - 30) +
    0.24 * cosine(2 * hm) +
    0.32 * cosine(3 * hm + 6) -
    0.2 * cosine(4 * hm - 63);
  const sl = 1 + (0.015 * (lm - 50) ** 2) / Math.sqrt(20 + (lm - 50) ** 2);
  const [sc, sh] = [1 + 0.045 * cm, 1 + 0.015 * cm * t];
  const turned = 60 * Math.exp(-(((hm - 275) / 25) ** 2));
  const rt = -2 * Math.sqrt(cm ** 7 / (cm ** 7 + 25 ** 7)) * Math.sin(turned / DEGREES);
  const [dl, dc, dh] = [(l2 - l1) / sl, (c2 - c1) / sc, dH / sh];
  return Math.sqrt(dl * dl + dc * dc + dh * dh + rt * dc * dh);
}

const DEGREES = 180 / Math.PI;
