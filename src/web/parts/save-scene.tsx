import type { Scene } from '../../views/chart/scene.ts';
import { download, scenesPng, svgBlob } from './scene-png.ts';

/** Keeps a picture as it is on the page. */
export function SaveScene({ scene, name }: { scene: Scene; name: string }) {
  const png = async () => download(await scenesPng([scene]), `${name}.png`);
  return (
    <span class="save">
      <button
        type="button"
        title="Save as SVG"
        onClick={() => download(svgBlob(scene), `${name}.svg`)}
      >
        SVG
      </button>
      <button type="button" title="Save as PNG" onClick={() => void png()}>
        PNG
      </button>
    </span>
  );
}
