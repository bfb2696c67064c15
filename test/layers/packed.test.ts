import { describe, expect, it } from 'vitest';
import { layerAccounting } from '../../src/analyses/layers/accounting.ts';
import { layers } from '../../src/analyses/layers/index.ts';
import { layersAt } from '../../src/analyses/layers/layers-at.ts';
import { packLayers, unpackLayers } from '../../src/analyses/layers/packed.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { decodeColumns, encodeColumns } from '../../src/model/columns.ts';
import { addRow } from '../support/rows.ts';

/** 30 iterations; a feature map that is largest in the tenth, and something that is kept. */
function recording() {
  const builder = new RecordingBuilder({ id: 'run', name: 'run' });
  for (let i = 1; i <= 30; i++) {
    const rows: [name: string, kind: string, bytes: number][] = [
      ...(i === 1 ? [['conv/kernel', 'weight', 1000] as [string, string, number]] : []),
      ['conv', 'feature_map', i === 10 ? 5000 : 100 + (i % 3)],
      ['conv at train.py:3', 'kept', 10 * i],
    ];
    const now = { time: i * 1e9, pid: 7 };
    for (const [name, kind, bytes] of rows) {
      addRow(builder, 'layers', { ...now, rank: 0, epoch: 1, iteration: i, name, kind, bytes });
    }
    addRow(builder, 'process', { ...now, rss: 9000 });
  }
  return builder.build();
}

const sent = (most?: number) => {
  const { header, arrays } = packLayers(recording(), most);
  const { header: told, arrays: came } = decodeColumns<typeof header>(
    encodeColumns(header, arrays),
  );
  return unpackLayers(told, came)[0]!;
};

describe('layers on their way to a page', () => {
  it('arrive as they were: the page adds up what report says', () => {
    const model = sent();
    const [said] = layers(recording()).models;
    const { totals, layers: sums, parts, peak } = layersAt(model.history, model.highest);
    expect(sums).toEqual(said!.layers);
    expect(parts).toEqual(said!.parts);
    expect(peak).toEqual(said!.peak);
    expect(totals).toEqual(said!.totals.map(({ kind, bytes }) => ({ kind, bytes })));
    expect(model.when[model.highest]).toEqual(said!.at);
    expect(model.accounting).toEqual(layerAccounting(recording()).processes[0]);
    expect(model.every).toBe(1);
  });

  it('say so where there are too many, and keep the iteration that held most', () => {
    const model = sent(20);
    expect(model.every).toBeGreaterThan(1);
    expect(model.history.iterations.length).toBeLessThan(30);
    expect(model.when[model.highest]).toMatchObject({ iteration: 10 });
    expect(layersAt(model.history, model.highest).layers).toEqual(
      layers(recording()).models[0]!.layers,
    );
    expect(model.when.at(-1)).toMatchObject({ iteration: 30 });
  });
});
