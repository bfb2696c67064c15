import { describe, expect, it } from 'vitest';
import { between } from '../../src/analyses/panels/between.ts';
import { panelsFromColumns, panelsToColumns } from '../../src/analyses/panels/columns.ts';
import { panels } from '../../src/analyses/panels/index.ts';
import { totalOf, zoomedPanels } from '../../src/analyses/panels/zoomed.ts';
import { report } from '../../src/analyses/report.ts';
import { curve } from '../../src/model/allocations/curve.ts';
import { traces } from '../../src/model/allocations/trace.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { decodeColumns, encodeColumns } from '../../src/model/columns.ts';
import { openInput } from '../../src/open/open.ts';
import { panelsTitle } from '../../src/views/chart/timeline/panels.ts';
import { addRow } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const SNAPSHOT = 'test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz';

/** Ten thousand samples of the host with one of them above all others. */
function spiky(peakAt: number) {
  const builder = new RecordingBuilder({ id: 'spiky', name: 'spiky' });
  builder.table('host', ['MemTotal', 'MemAvailable']);
  for (let i = 0; i < 10_000; i++) {
    const available = i === peakAt ? 1e9 : 6e9 + (i % 7) * 1e6;
    addRow(builder, 'host', { time: i * 1e7, MemTotal: 8e9, MemAvailable: available });
  }
  return builder.build();
}

describe('panels', () => {
  it('keep a peak of one sample at any zoom', () => {
    const peakAt = 6789;
    const recording = spiky(peakAt);
    for (const [low, high] of [
      [0, 100],
      [60, 70],
      [67.8, 68],
      [67.885, 67.895],
    ] as const) {
      for (const columns of [1, 3, 50, 1000]) {
        const [host] = panels(recording, [], { low, high, columns }).panels;
        const { x, bytes } = host!.lines.find(({ series }) => series === 'host.used')!;
        const top = bytes.indexOf(7e9);
        expect(top, `${low}–${high} in ${columns}`).toBeGreaterThanOrEqual(0);
        expect(x[top]).toBeCloseTo(peakAt / 100, 9);
        expect(x.length).toBeLessThanOrEqual(4 * columns + 8);
      }
    }
  });

  it('keep it when they are narrowed again on the page', () => {
    const whole = panels(spiky(1234), [], { columns: 4000 });
    const part = zoomedPanels(whole, { clock: 'time', low: 0, high: 100, columns: 30 });
    expect(part.panels[0]!.lines[0]!.bytes).toContain(7e9);
    expect(part.panels[0]!.lines[0]!.x.length).toBeLessThan(150);
  });

  it('have the peaks of the report', () => {
    const recording = sampleRecording(200);
    const all = panels(recording, []);
    const { peaks } = report(recording);
    const lines = all.panels.flatMap((panel) => panel.lines);
    const shown = lines.filter(({ series }) => peaks.some((peak) => peak.series === series));
    expect(shown.length).toBeGreaterThan(3);
    for (const { series, bytes } of shown) {
      const peak = peaks.find((one) => one.series === series)!;
      expect(Math.max(...bytes.filter((value) => !Number.isNaN(value)))).toBe(peak.bytes);
    }
    const tree = all.panels.find(({ id }) => id === 'tree')!;
    expect(Math.max(...totalOf(tree.stack!))).toBe(
      peaks.find(({ series }) => series === 'tree.pss')!.bytes,
    );
  });

  it('stack what an allocator handed out by category, to the byte', async () => {
    const recording = await openInput(SNAPSHOT);
    const [trace] = traces(recording);
    const { requested } = curve(trace!);
    const { panels: shown, clocks } = panels(recording, [], { clock: 'event', columns: 100_000 });
    expect(clocks).toContain('event');
    const { stack } = shown[0]!;
    expect(stack!.x.length).toBe(trace!.events);
    expect(totalOf(stack!)).toEqual(requested);
    const { peakEvent, categories } = report(recording).devices[0]!;
    for (const { category, bytes } of categories) {
      const band = stack!.bands.find(({ key }) => key === category)!;
      expect(band.bytes[peakEvent], category).toBe(bytes);
    }
  });

  it('travel as columns', async () => {
    const data = panels(await openInput(SNAPSHOT), [], { columns: 50 });
    const { header, arrays } = panelsToColumns(data);
    expect(panelsFromColumns(decodeColumns(encodeColumns(header, arrays)))).toEqual(data);
  });

  it('say what was made between two moments and still lives', async () => {
    const recording = await openInput(SNAPSHOT);
    const { peakEvent, peakRequestedBytes, startRequestedBytes } = report(recording).devices[0]!;
    const found = between(recording, [], { clock: 'event', from: -1, to: peakEvent });
    const [device] = found.devices;
    expect(device!.bytes - device!.freedBytes).toBe(peakRequestedBytes - startRequestedBytes);
    expect(device!.categories.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(device!.bytes);
    expect(device!.topStacks[0]!.bytes).toBeGreaterThan(0);
  });

  it('have how full the pools of engines were, by each that said it more than once', () => {
    const builder = new RecordingBuilder({ id: 'serves', name: 'serves' });
    const facts = { start_time: 1, ppid: 1, argv: 'vllm', name: 'vllm', role: 'main' };
    addRow(builder, 'processes', { pid: 7, ...facts, first_seen: 0 });
    for (let i = 0; i < 20; i++) {
      addRow(builder, 'process', { time: i * 1e9, pid: 7, rss: 1e6 + i });
      const said = { time: i * 1e9, engine: 'vllm', source: 'metrics' };
      addRow(builder, 'serving', { ...said, worker: '8000', kv_used: i / 50 });
      addRow(builder, 'serving', { ...said, worker: '8001', kv_used: Number.NaN, running: 1 });
    }
    addRow(builder, 'serving', { time: 20e9, engine: 'sglang', source: 'log', kv_used: 0.9 });
    const all = panels(builder.build(), []);
    const kv = all.panels.find(({ id }) => id === 'kv')!;
    expect(kv.unit).toBe('percent');
    expect(kv.lines.map(({ label }) => label)).toEqual(['vllm 8000']);
    expect(kv.lines[0]!.bytes.at(-1)).toBeCloseTo(38, 6);
    expect(kv.highest).toBeCloseTo(38, 6);
  });

  it('have the processors below the memory, in percent of one core', () => {
    // Half of a core for ten seconds, then one and a half.
    const builder = new RecordingBuilder({ id: 'busy', name: 'busy' });
    const facts = { start_time: 1, ppid: 1, argv: 'python', name: 'python', role: 'main' };
    addRow(builder, 'processes', { pid: 7, ...facts, first_seen: 0 });
    for (let i = 0; i <= 200; i++) {
      const cpu = 0.5e8 * Math.min(i, 100) + 1.5e8 * Math.max(0, i - 100);
      addRow(builder, 'process', { time: i * 1e8, pid: 7, rss: 1e6 + i, cpu });
    }
    const recording = builder.build();
    const all = panels(recording, []);
    const { id, unit, lines, highest } = all.panels.at(-1)!;
    expect([id, unit]).toEqual(['cpu', 'percent']);
    expect(highest).toBeCloseTo(150, 6);
    const [line] = lines;
    expect(line!.bytes[0]).toBeCloseTo(50, 6);
    expect(line!.bytes.at(-1)).toBeCloseTo(150, 6);
    expect(panelsTitle(all)).toContain('CPU, at most 150 %');
    // What changed between two moments is told of memory.
    const found = between(recording, [], { clock: 'time', from: 1, to: 19 });
    expect(found.changes.map(({ panel }) => panel)).not.toContain('cpu');
    expect(found.changes.length).toBeGreaterThan(0);
    const { header, arrays } = panelsToColumns(all);
    expect(panelsFromColumns(decodeColumns(encodeColumns(header, arrays)))).toEqual(all);
  });

  it('have no processors where nothing tells of them', () => {
    expect(panels(spiky(1), []).panels.map(({ id }) => id)).toEqual(['host']);
  });

  it('of nothing are none', () => {
    const empty = new RecordingBuilder({ id: 'empty', name: 'empty' }).build();
    expect(panels(empty, [])).toMatchObject({ panels: [], clocks: ['time'], marks: [] });
  });
});
