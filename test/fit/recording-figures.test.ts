import { describe, expect, it } from 'vitest';
import { measuresOf, recordingFigures } from '../../src/analyses/fit/recording-figures.ts';
import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { drawRecording } from '../analyses/drawn.ts';
import { addRow } from '../support/rows.ts';

const inMiB = (figures: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(figures).map(([name, bytes]) => [name, bytes / MiB]));

/** A card over three seconds, in MiB: all that is used on it, and the workload's (null: not listed). */
function onCard(used: readonly number[], own: readonly number[] | null) {
  const builder = new RecordingBuilder({ id: 'x', name: 'x', argv: ['x'], subject: 'command' });
  addRow(builder, 'processes', { pid: 7, start_time: 1, ppid: 1, role: 'main', first_seen: 0 });
  for (const [i, value] of used.entries()) {
    const now = { time: i * SECOND_NS, gpu: 0 };
    addRow(builder, 'gpu', { ...now, used: value * MiB, reserved: 50 * MiB });
    if (own) addRow(builder, 'gpu_process', { ...now, pid: 7, used: own[i]! * MiB });
  }
  return builder;
}

/** Rows of a profiler: seconds, name, kind, MiB. */
function layers(builder: RecordingBuilder, rows: readonly [number, string, string, number][]) {
  for (const [seconds, name, kind, bytes] of rows) {
    const now = { time: seconds * SECOND_NS, pid: 7, epoch: 1, iteration: 1 };
    addRow(builder, 'layers', { ...now, name, kind, bytes: bytes * MiB });
  }
  return builder;
}

describe('figures of a recording', () => {
  it('of a card are those of the workload, with others and the driver beside', () => {
    const found = recordingFigures(onCard([300, 2300, 900], [0, 1950, 600]).build(), 'gpu0.used')!;
    expect(inMiB(found.figures)).toEqual({ 'gpu0.tree': 1950, 'gpu0.used': 2300 });
    expect(found.besideBytes / MiB).toBe(350 + 50);
    const { measures, inUse } = measuresOf([found], 'gpu0.used');
    expect(measures).toEqual({
      held: 'gpu0.tree',
      live: null,
      others: ['gpu0.used'],
      chain: ['gpu0.tree', 'gpu0.used'],
      cached: true,
      parts: [],
    });
    expect(inUse.what).toBe("others and the driver's own");
  });

  it('of a card whose processes nobody lists are what came on top', () => {
    const found = recordingFigures(onCard([300, 2300, 900], null).build(), 'gpu0.used')!;
    expect(inMiB(found.figures)).toEqual({ 'gpu0.used above baseline': 2000 });
    expect(found.besideBytes / MiB).toBe(350);
  });

  it('have the cache apart, and the categories at the highest moment', () => {
    const builder = layers(onCard([0, 2000, 2000], [0, 2000, 2000]), [
      [1, 'fc', 'peak', 900],
      [1, 'weight', 'at_peak', 400],
      [1, 'feature_map', 'at_peak', 500],
      [1, 'cached', 'at_peak', 100],
      [2, 'fc', 'peak', 1400],
      [2, 'feature_map', 'at_peak', 1000],
      [2, 'cached', 'at_peak', 300],
    ]);
    const found = recordingFigures(builder.build(), 'gpu0.used')!;
    expect(inMiB(found.figures)).toEqual({
      'gpu0.tree': 2000,
      'gpu0.used': 2000,
      'without cache': 1700,
      weight: 400,
      feature_map: 1000,
    });
    expect(measuresOf([found], 'gpu0.used').measures.live).toBe('without cache');
  });

  it('of a tree are its own, by phase too, with what the machine had in use before', () => {
    const recording = drawRecording({
      at: [0, 1, 2, 3, 4],
      host: { MemTotal: [9000, 9000, 9000, 9000, 9000], MemAvailable: [8000, 7, 7, 7, 7] },
      processes: [{ pid: 7, rss: [1, 50, 90, 40, 5], pss: [1, 50, 90, 40, 5] }],
      marks: ['phase forward@0.5', 'phase /forward@1.5', 'phase step@2.5', 'phase /step@3.5'],
    });
    const found = recordingFigures(recording, 'tree.pss')!;
    expect(inMiB(found.figures)).toEqual({ 'tree.pss': 90, 'phase forward': 50, 'phase step': 40 });
    expect(found.besideBytes / MiB).toBe(1000);
  });
});
