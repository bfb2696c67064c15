import type { RefObject } from 'preact';
import { download } from '../../parts/scene-png.ts';
import { MARGIN } from './axes.tsx';
import { type ColorScheme, cssColor, SCHEME_COLORS } from './picture/colors.ts';

interface Props {
  readonly canvas: RefObject<HTMLCanvasElement>;
  readonly name: string;
  readonly scheme: ColorScheme;
}

/** Keeps the picture with its axes as it is on the page. */
export function SaveMap({ canvas, name, scheme }: Props) {
  const save = (kind: 'svg' | 'png') => {
    if (canvas.current) void saveAs(canvas.current, kind, name, scheme);
  };
  return (
    <span class="save map-save">
      <button type="button" title="Save as SVG" onClick={() => save('svg')}>
        SVG
      </button>
      <button type="button" title="Save as PNG" onClick={() => save('png')}>
        PNG
      </button>
    </span>
  );
}

const SCALE = 2;

async function saveAs(
  canvas: HTMLCanvasElement,
  kind: 'svg' | 'png',
  name: string,
  scheme: ColorScheme,
): Promise<void> {
  const frame = canvas.parentElement?.querySelector<SVGSVGElement>('svg.map-frame');
  if (!frame) return;
  const svgBlob = new Blob([svgText(frame, canvas, scheme)], { type: 'image/svg+xml' });
  if (kind === 'svg') return download(svgBlob, `${name}.svg`);
  const [width, height] = [frame.clientWidth, frame.clientHeight];
  const picture = document.createElement('canvas');
  [picture.width, picture.height] = [width * SCALE, height * SCALE];
  const context = picture.getContext('2d')!;
  const image = new Image();
  const url = URL.createObjectURL(svgBlob);
  try {
    image.src = url;
    await image.decode();
    context.imageSmoothingEnabled = false;
    context.drawImage(image, 0, 0, picture.width, picture.height);
  } finally {
    URL.revokeObjectURL(url);
  }
  const blob = await new Promise<Blob | null>((done) => picture.toBlob(done));
  if (blob) download(blob, `${name}.png`);
}

/** Axes as they are, and the picture below them as pixels: a million rectangles are no use in an SVG. */
function svgText(frame: SVGSVGElement, canvas: HTMLCanvasElement, scheme: ColorScheme): string {
  const copy = frame.cloneNode(true) as SVGSVGElement;
  const pixels = document.createElement('canvas');
  [pixels.width, pixels.height] = [canvas.width, canvas.height];
  pixels.getContext('2d')!.drawImage(canvas, 0, 0);
  const svg = 'http://www.w3.org/2000/svg';
  const image = document.createElementNS(svg, 'image');
  const places = {
    x: MARGIN.left,
    y: MARGIN.top,
    width: canvas.clientWidth,
    height: canvas.clientHeight,
  };
  for (const [key, value] of Object.entries(places)) image.setAttribute(key, String(value));
  image.setAttribute('href', pixels.toDataURL('image/png'));
  const paper = document.createElementNS(svg, 'rect');
  for (const key of ['width', 'height']) paper.setAttribute(key, '100%');
  paper.setAttribute('fill', cssColor(SCHEME_COLORS[scheme].background));
  copy.prepend(paper, image);
  copy.setAttribute('font-family', 'system-ui, sans-serif');
  return new XMLSerializer().serializeToString(copy);
}
