import { GROUNDS, type Ground, type Grounds } from './colors.ts';
import { Raster } from './raster.ts';

/** What a picture is drawn on; kept from frame to frame, as its memory is large. */
export interface Paper {
  readonly width: number;
  readonly height: number;
  /** RGBA. */
  readonly pixels: Uint32Array<ArrayBuffer>;
  readonly raster: Raster;
  readonly grounds: Grounds;
}

export function makePaper(width: number, height: number, ground: Ground): Paper {
  return {
    width,
    height,
    pixels: new Uint32Array(width * height),
    raster: new Raster(width, height),
    grounds: GROUNDS[ground],
  };
}
