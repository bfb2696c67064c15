import type { OomFigures } from '../../model/out-of-memory.ts';

/** What ran out, in words: `GPU 1 (torch)`. */
export function placeName({ place, gpu, source }: OomFigures): string {
  switch (place) {
    case 'gpu':
      return `${gpu === undefined ? 'the GPU' : `GPU ${gpu}`} (${source})`;
    case 'host':
      return `the host (${source})`;
    case 'heap':
      return source === 'v8' ? 'the JavaScript heap' : `the heap (${source})`;
    case 'shm':
      return 'shared memory (/dev/shm)';
  }
}
