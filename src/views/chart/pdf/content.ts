import type { Box, Node, Scene, Stroke, TextNode, Weight } from '../scene.ts';
import { pathOperators } from './path.ts';
import type { TrueType } from './true-type.ts';

/** What a page draws, and what it needs for that. */
export interface PageContent {
  readonly operators: string;
  /** Opacities, which are states with names: `/O50`. */
  readonly opacities: ReadonlySet<number>;
  /** Of each weight, the characters that were set, by glyph. */
  readonly used: ReadonlyMap<Weight, ReadonlyMap<number, string>>;
}

/** Points of print for each pixel of a scene. */
export const POINTS = 0.75;

/** A scene as the operators of a PDF page (ISO 32000, 8 and 9); up is up there, so all is turned over once. */
export function pageContent(scene: Scene, fonts: Readonly<Record<Weight, TrueType>>): PageContent {
  const writer = new ContentWriter(fonts);
  const { width, height, background } = scene;
  writer.add(`${POINTS} 0 0 ${-POINTS} 0 ${num(height * POINTS)} cm`, '1 j');
  writer.node({ node: 'rect', x: 0, y: 0, width, height, fill: background });
  for (const node of scene.nodes) writer.node(node);
  return {
    operators: writer.lines.join('\n'),
    opacities: writer.opacities,
    used: writer.used,
  };
}

class ContentWriter {
  readonly lines: string[] = [];
  readonly opacities = new Set<number>();
  readonly used = new Map<Weight, Map<number, string>>();
  readonly #fonts: Readonly<Record<Weight, TrueType>>;

  constructor(fonts: Readonly<Record<Weight, TrueType>>) {
    this.#fonts = fonts;
  }

  add(...lines: string[]): void {
    this.lines.push(...lines);
  }

  node(node: Node): void {
    switch (node.node) {
      case 'path':
        this.#paint(pathOperators(node.d), node.fill, node.stroke, node.opacity);
        return;
      case 'line':
        this.#paint(`${point(node.from)} m ${point(node.to)} l`, undefined, node.stroke);
        return;
      case 'rect':
        this.#paint(rectangle(node), node.fill);
        return;
      case 'circle':
        this.#paint(circle(node.x, node.y, node.radius), node.fill, node.stroke);
        return;
      case 'dots': {
        const specks = node.at.map((at) => `${point(at)} m ${num(at.x + 0.01)} ${num(at.y)} l`);
        const stroke = { color: node.fill, width: node.radius * 2 };
        this.add('q 1 J');
        this.#paint(specks.join(' '), undefined, stroke, node.opacity);
        this.add('Q');
        return;
      }
      case 'text':
        this.#text(node);
        return;
      case 'group':
        this.add('q');
        if (node.clip) this.add(`${rectangle(node.clip)} W n`);
        for (const child of node.children) this.node(child);
        this.add('Q');
    }
  }

  #paint(path: string, fill?: string, stroke?: Stroke, opacity?: number): void {
    const filled = fill !== undefined && fill !== 'none';
    if (path === '' || (!filled && !stroke)) return;
    this.add('q');
    if (opacity !== undefined) {
      const percent = Math.round(opacity * 100);
      this.opacities.add(percent);
      this.add(`/O${percent} gs`);
    }
    if (filled) this.add(`${color(fill)} rg`);
    if (stroke) {
      this.add(`${color(stroke.color)} RG ${num(stroke.width)} w`);
      if (stroke.dash) this.add(`[${stroke.dash.map(num).join(' ')}] 0 d`);
    }
    this.add(`${path} ${filled ? (stroke ? 'B' : 'f') : 'S'}`, 'Q');
  }

  #text({ text, x, y, size, fill, weight = 'regular', anchor, upwards, halo }: TextNode): void {
    const font = this.#fonts[weight];
    const used = this.used.get(weight) ?? new Map<number, string>();
    this.used.set(weight, used);
    let width = 0;
    let codes = '';
    for (const character of text) {
      const glyph = font.glyph(character.codePointAt(0)!);
      used.set(glyph, glyph === 0 ? '\ufffd' : character);
      width += (font.width(glyph) * size) / 1000;
      codes += hex(glyph);
    }
    const back = anchor === 'middle' ? width / 2 : anchor === 'end' ? width : 0;
    const [turn, dx, dy] = upwards ? ['0 -1 -1 0', 0, back] : ['1 0 0 -1', -back, 0];
    const set = `${turn} ${num(x + dx)} ${num(y + dy)} Tm <${codes}> Tj`;
    this.add(`q BT /${weight} ${num(size)} Tf`);
    if (halo) this.add(`1 Tr ${color(halo)} RG 4 w ${set} 0 Tr`);
    this.add(`${color(fill)} rg ${set} ET Q`);
  }
}

export const hex = (glyph: number): string => glyph.toString(16).padStart(4, '0');

const point = ({ x, y }: { x: number; y: number }) => `${num(x)} ${num(y)}`;
const rectangle = ({ x, y, width, height }: Box) =>
  `${num(x)} ${num(y)} ${num(width)} ${num(height)} re`;

/** Four curves, as near to a circle as print can tell. */
function circle(x: number, y: number, r: number): string {
  const k = 0.5523 * r;
  const curve = (...at: number[]) => `${at.map(num).join(' ')} c`;
  return [
    `${num(x + r)} ${num(y)} m`,
    curve(x + r, y + k, x + k, y + r, x, y + r),
    curve(x - k, y + r, x - r, y + k, x - r, y),
    curve(x - r, y - k, x - k, y - r, x, y - r),
    curve(x + k, y - r, x + r, y - k, x + r, y),
    'h',
  ].join(' ');
}

/** `#rrggbb` as three shares. */
function color(text: string): string {
  const [, r, g, b] = /^#(..)(..)(..)$/.exec(text) ?? [];
  if (b === undefined) throw new Error(`${text} is no colour of a theme`);
  return [r, g, b].map((part) => num(Number.parseInt(part!, 16) / 255)).join(' ');
}

/** No exponent, which PDF does not know. */
export function num(value: number): string {
  const rounded = Math.round(value * 1000) / 1000;
  return Math.abs(rounded) < 0.001 ? '0' : rounded.toFixed(3).replace(/\.?0+$/, '');
}
