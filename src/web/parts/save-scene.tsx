import type { Scene } from '../../views/chart/scene.ts';
import { sceneSvg } from '../../views/chart/svg.ts';

/** Two dots for each of the page's: fine enough for a screen of any kind and for a slide. */
const SCALE = 2;

/** Keeps a picture as it is on the page. */
export function SaveScene({ scene, name }: { scene: Scene; name: string }) {
  return (
    <span class="save">
      <button type="button" title="Save as SVG" onClick={() => saveSvg(scene, name)}>
        SVG
      </button>
      <button type="button" title="Save as PNG" onClick={() => void savePng(scene, name)}>
        PNG
      </button>
    </span>
  );
}

const svgBlob = (scene: Scene) => new Blob([sceneSvg(scene)], { type: 'image/svg+xml' });

function saveSvg(scene: Scene, name: string): void {
  download(svgBlob(scene), `${name}.svg`);
}

async function savePng(scene: Scene, name: string): Promise<void> {
  const url = URL.createObjectURL(svgBlob(scene));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = scene.width * SCALE;
    canvas.height = scene.height * SCALE;
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
    if (blob) download(blob, `${name}.png`);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Hands a file to the reader. */
export function download(blob: Blob, file: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = file.replace(/[^\w.-]+/g, '-').slice(-120);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
