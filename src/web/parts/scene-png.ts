import type { Scene } from '../../views/chart/scene.ts';
import { sceneSvg } from '../../views/chart/svg.ts';

/** Two dots for each of the page's: fine enough for a screen of any kind and for a slide. */
const SCALE = 2;

export const svgBlob = (scene: Scene) => new Blob([sceneSvg(scene)], { type: 'image/svg+xml' });

/** Scenes below each other as one picture. */
export async function scenesPng(scenes: readonly Scene[]): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = SCALE * Math.max(...scenes.map(({ width }) => width));
  canvas.height = SCALE * scenes.reduce((sum, { height }) => sum + height, 0);
  const context = canvas.getContext('2d')!;
  let top = 0;
  for (const scene of scenes) {
    const [width, height] = [scene.width * SCALE, scene.height * SCALE];
    const url = URL.createObjectURL(svgBlob(scene));
    try {
      const image = new Image();
      image.src = url;
      await image.decode();
      context.drawImage(image, 0, top, width, height);
    } finally {
      URL.revokeObjectURL(url);
    }
    top += height;
  }
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
  if (!blob) throw new Error('the browser makes no picture of that size');
  return blob;
}

/** Hands a file to the reader. */
export function download(blob: Blob, file: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = file.replace(/[^\w.-]+/g, '-').slice(-120);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
