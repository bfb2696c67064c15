import type { LayerRow } from '../../sources/agent/kinds/layers.ts';
import type { Stats } from './stats.ts';

/** The rows of a `layers` message: docs/agent-protocol.md. */
export function rowsOf(stats: Stats): LayerRow[] {
  const all = (kind: string, sums: ReadonlyMap<string, number>): LayerRow[] =>
    [...sums].map(([name, bytes]) => [name, kind, bytes]);
  return [
    ...all('weight', stats.weights),
    ...all('gradient', stats.gradients),
    ...all('buffer', stats.buffers),
    ...all('optimizer', stats.optimizer),
    ...all('feature_map', stats.featureMaps),
    ['', 'intermediate_gradient', stats.intermediateGradients],
    ['', 'input', stats.inputs],
    ...all('kept', stats.kept),
    ['', 'other', stats.other],
    [stats.device, 'device', stats.live],
    [stats.peakLayer, 'peak', stats.peak],
    ...[...stats.atPeak].map(([kind, bytes]): LayerRow => [kind, 'at_peak', bytes]),
  ];
}

/** Sends only what changed. What could not be sent is forgotten, so that all of it is sent again. */
export class Changes {
  #sent = new Map<string, LayerRow>();

  of(rows: readonly LayerRow[]): LayerRow[] {
    const now = new Map(rows.map((row) => [`${row[1]} ${row[0]}`, row]));
    const gone = [...this.#sent.entries()].filter(([key]) => !now.has(key));
    const changed = [...now].filter(([key, row]) => this.#sent.get(key)?.[2] !== row[2]);
    this.#sent = now;
    return [
      ...changed.map(([, row]) => row),
      ...gone.map(([, [name, kind]]): LayerRow => [name, kind, null]),
    ];
  }

  forget(): void {
    this.#sent = new Map();
  }
}
