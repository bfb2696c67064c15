import type { Box, GroupNode, Node, Scene, Stroke, TextNode } from './scene.ts';

const FONT = "Inter, 'Helvetica Neue', Helvetica, Arial, sans-serif";

/** A scene as one SVG document. */
export function sceneSvg(scene: Scene): string {
  const { width, height } = scene;
  const writer = new Writer();
  writer.add(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${num(width)}" height="${num(height)}" ` +
      `viewBox="0 0 ${num(width)} ${num(height)}" role="img" font-family="${FONT}" ` +
      'style="font-feature-settings:\'tnum\'">',
    `<title>${escapeXml(scene.title)}</title>`,
    `<rect width="${num(width)}" height="${num(height)}" fill="${scene.background}"/>`,
  );
  for (const node of scene.nodes) writer.node(node);
  writer.add('</svg>', '');
  return writer.lines.join('\n');
}

class Writer {
  readonly lines: string[] = [];
  #clips = 0;

  add(...lines: string[]): void {
    this.lines.push(...lines);
  }

  node(node: Node): void {
    switch (node.node) {
      case 'path': {
        const fill = `fill="${node.fill ?? 'none'}"`;
        const opacity = node.opacity === undefined ? '' : ` opacity="${num(node.opacity)}"`;
        this.add(`<path d="${node.d}" ${fill}${stroke(node.stroke)}${opacity}/>`);
        return;
      }
      case 'line': {
        const d = `M${num(node.from.x)},${num(node.from.y)}L${num(node.to.x)},${num(node.to.y)}`;
        this.add(`<path d="${d}" fill="none"${stroke(node.stroke)}/>`);
        return;
      }
      case 'rect':
        this.add(`<rect ${box(node)} fill="${node.fill}"/>`);
        return;
      case 'circle':
        this.add(
          `<circle cx="${num(node.x)}" cy="${num(node.y)}" r="${num(node.radius)}" ` +
            `fill="${node.fill}"${stroke(node.stroke)}/>`,
        );
        return;
      case 'dots': {
        // One path of round-capped specks: a tenth of the size of as many circle elements.
        const d = node.at.map(({ x, y }) => `M${num(x)},${num(y)}h.01`).join('');
        this.add(
          `<path d="${d}" fill="none" stroke="${node.fill}" stroke-width="${num(node.radius * 2)}" ` +
            `stroke-linecap="round" opacity="${num(node.opacity)}"/>`,
        );
        return;
      }
      case 'text':
        this.add(text(node));
        return;
      case 'group':
        this.#group(node);
        return;
    }
  }

  #group({ clip, children }: GroupNode): void {
    if (clip) {
      const id = `clip${this.#clips++}`;
      this.add(`<clipPath id="${id}"><rect ${box(clip)}/></clipPath>`);
      this.add(`<g clip-path="url(#${id})">`);
    } else this.add('<g>');
    for (const child of children) this.node(child);
    this.add('</g>');
  }
}

function text(node: TextNode): string {
  const { x, y, halo } = node;
  const attributes = [
    `x="${num(x)}" y="${num(y)}" font-size="${num(node.size)}" fill="${node.fill}"`,
    node.weight === 'semibold' ? 'font-weight="600"' : '',
    node.anchor && node.anchor !== 'start' ? `text-anchor="${node.anchor}"` : '',
    node.upwards ? `transform="rotate(-90 ${num(x)} ${num(y)})"` : '',
    halo ? `stroke="${halo}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"` : '',
  ];
  return `<text ${attributes.filter(Boolean).join(' ')}>${escapeXml(node.text)}</text>`;
}

function stroke(value: Stroke | undefined): string {
  if (!value) return '';
  const dash = value.dash ? ` stroke-dasharray="${value.dash.map(num).join(' ')}"` : '';
  return ` stroke="${value.color}" stroke-width="${num(value.width)}" stroke-linejoin="round"${dash}`;
}

const box = ({ x, y, width, height }: Box) =>
  `x="${num(x)}" y="${num(y)}" width="${num(width)}" height="${num(height)}"`;

/** A hundredth of a pixel is finer than any screen or printer. */
function num(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}

/** Markup made literal, and characters that no XML document may hold replaced. */
export function escapeXml(text: string): string {
  return text
    .replace(/[\x00-\x1f\x7f-\x9f\ufffe\uffff]|\p{Surrogate}/gu, '·')
    .replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
}
