import type { LayerDifference, LayerPair } from '../../analyses/layers/difference.ts';
import { formatDelta } from '../../base/bytes.ts';
import { count, ellipsize, printable } from '../../base/text.ts';
import { kindWords, whenWords } from '../report/layers.ts';
import { bytesOr, type TableSection } from '../table.ts';

const MOST_LAYERS = 12;
const NAME_WIDTH = 48;

/** What two runs' layers hold, side by side: kinds first, then the layers that changed. */
export function layerDifferenceSections(differences: readonly LayerDifference[]): TableSection[] {
  return differences.map((one) => {
    const changed = one.layers.filter(({ differenceBytes }) => differenceBytes !== 0);
    const hidden = changed.slice(MOST_LAYERS);
    const moved = hidden.reduce((sum, { differenceBytes }) => sum + differenceBytes, 0);
    const same = one.layers.length - changed.length;
    const rest = [
      ...(hidden.length > 0
        ? [`and ${count(hidden.length, 'more layer')}: ${formatDelta(moved)}`]
        : []),
      ...(same > 0 ? [`${count(same, 'layer')} the same`] : []),
    ];
    const cells = (name: string, pair: LayerPair) => [
      ellipsize(printable(name), NAME_WIDTH),
      bytesOr(pair.aBytes),
      bytesOr(pair.bBytes),
      pair.differenceBytes === 0 ? 'same' : formatDelta(pair.differenceBytes),
    ];
    const title = `Layers: ${one.b} − ${one.a} (${whenWords(one.bAt)}; ${whenWords(one.aAt)})`;
    return {
      title: printable(title),
      rows: {
        head: ['what', printable(one.a), printable(one.b), 'difference'],
        body: [
          ...one.kinds
            .filter(({ aBytes, bBytes }) => (aBytes ?? 0) + (bBytes ?? 0) > 0)
            .map((pair) => cells(`all ${kindWords(pair.kind)}`, pair)),
          ...changed.slice(0, MOST_LAYERS).map((pair) => cells(pair.layer || 'in no layer', pair)),
        ],
        right: new Set([1, 2, 3]),
        rest: rest.length > 0 ? rest.join('; ') : null,
      },
    };
  });
}
