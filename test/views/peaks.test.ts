import { describe, expect, it } from 'vitest';
import { panels } from '../../src/analyses/panels/index.ts';
import type { Panels, TimelinePanel } from '../../src/analyses/panels/panel.ts';
import { totalOf, zoomedPanels } from '../../src/analyses/panels/zoomed.ts';
import { report } from '../../src/analyses/report.ts';
import type { TimelineMark } from '../../src/analyses/timeline.ts';
import { formatBytes } from '../../src/base/bytes.ts';
import { formatDuration } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { lastMarks } from '../../src/model/last-marks.ts';
import { openInput } from '../../src/open/open.ts';
import { LIGHT } from '../../src/views/chart/palette.ts';
import { placePeak } from '../../src/views/chart/peak-mark.ts';
import { marksWords, stepWords, timeWords } from '../../src/views/chart/peak-words.ts';
import type { Node, PathNode, TextNode } from '../../src/views/chart/scene.ts';
import { stackedAreas } from '../../src/views/chart/stacked-areas.ts';
import { markLane } from '../../src/views/chart/timeline/mark-lane.ts';
import { STEP_END } from '../../src/views/chart/timeline/panel-steps.ts';
import { type PanelsChart, panelsChart } from '../../src/views/chart/timeline/panels.ts';
import { addRow } from '../support/rows.ts';
import { sampleRecording } from '../support/sample-recording.ts';

const STEPS = 'test/fixtures/snapshots/training/steps/cycles.pickle.gz';
const SNAPSHOT = 'test/fixtures/snapshots/training/gpt_adam_allstacks.pickle.gz';

interface Corner {
  readonly x: number;
  readonly y: number;
}

const cornersOf = ({ d }: PathNode): Corner[] =>
  [...d.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));

/** The highest point of filled paths, and how wide they are up there. */
function topOf(nodes: readonly PathNode[]): { y: number; width: number } {
  const corners = nodes.map(cornersOf);
  const y = Math.min(...corners.flat().map((corner) => corner.y));
  const widths = corners.flatMap((all) =>
    all.slice(1).map((corner, i) => {
      const isTop = Math.abs(corner.y - y) < 0.11 && Math.abs(all[i]!.y - y) < 0.11;
      return isTop ? Math.abs(corner.x - all[i]!.x) : 0;
    }),
  );
  return { y, width: Math.max(...widths) };
}

const flat = (nodes: readonly Node[]): Node[] =>
  nodes.flatMap((node) => (node.node === 'group' ? flat(node.children) : [node]));

const areasOf = ({ scene }: PanelsChart) =>
  flat(scene.nodes).filter((node): node is PathNode => node.node === 'path' && !node.stroke);

const textsOf = (nodes: readonly Node[]) =>
  flat(nodes)
    .filter((node): node is TextNode => node.node === 'text')
    .map(({ text }) => text);

function drawn(data: Panels, [low, high]: readonly [number, number], width: number): PanelsChart {
  const window = { clock: data.clock, low, high, columns: width };
  const domain = { low, high };
  const look = (_panel: TimelinePanel, key: string) => ({ color: '#123456', label: key });
  const options = { title: 'T', width, panelHeight: 240, theme: LIGHT, domain, look };
  return panelsChart(zoomedPanels(data, window), options);
}

describe('bands upon each other', () => {
  it.each([true, false])('show a spike of one sample as a whole pixel (steps: %s)', (steps) => {
    const xs = Float64Array.from({ length: 100_000 }, (_, i) => i);
    const bytes = xs.map((i) => (i === 31_337 ? 1000 : 100 + (i % 3)));
    const base = xs.map(() => 50);
    for (const width of [200, 333, 1000, 8000]) {
      const x = (value: number) => (value / xs.length) * width;
      const bands = [
        { color: '#000000', bytes: base },
        { color: '#ffffff', bytes },
      ];
      const top = topOf(stackedAreas(xs, bands, x, (value) => 1100 - value, steps));
      expect(top.y).toBeCloseTo(50, 6);
      expect(top.width).toBeGreaterThanOrEqual(1);
    }
  });

  it('break where nothing was measured', () => {
    const xs = Float64Array.of(0, 10, 20, 30, 40);
    const bytes = Float64Array.of(1, 2, Number.NaN, 3, 1);
    for (const steps of [true, false]) {
      const [area] = stackedAreas(
        xs,
        [{ color: '#000000', bytes }],
        (v) => v,
        (v) => -v,
        steps,
      );
      expect(area!.d.match(/M/g)).toHaveLength(2);
      expect(area!.d).not.toContain('NaN');
    }
  });
});

describe('the words of a peak', () => {
  it('say when it was, also before the workload began', () => {
    expect(timeWords(3.25)).toBe('at 3.25 s');
    expect(timeWords(-3.25)).toBe('3.25 s before the start');
  });

  it('lose their last clauses on a narrow plot, never how high it was', () => {
    const words = 'peak 280 MiB · after iteration 150, Testing net (#0), by the kernel';
    const place = (width: number) =>
      placePeak(
        { at: { x: width / 2, y: 60 }, words, color: '#000000' },
        { x: 0, y: 0, width, height: 100 },
        LIGHT,
      );
    const texts = (width: number) => textsOf(place(width).nodes);
    expect(texts(900)).toEqual([words]);
    expect(texts(270)).toEqual(['peak 280 MiB · after iteration 150']);
    const { label } = place(270);
    expect(label.x).toBeGreaterThanOrEqual(0);
    expect(label.x + label.width).toBeLessThanOrEqual(270);
    expect(texts(120)[0]).toMatch(/^peak 280 MiB.*…$/);
  });
});

describe('the peak of a panel', () => {
  it('is the report’s, drawn at its height and a pixel wide at any zoom', async () => {
    const recording = await openInput(SNAPSHOT);
    const { devices } = report(recording);
    const { peakEvent, peakRequestedBytes, peakMoment } = devices[0]!;
    const data = panels(recording, [], { clock: 'event', columns: 4000 });
    const { peak } = data.panels[0]!;
    expect(peak).toMatchObject({ x: peakEvent, value: peakRequestedBytes, moment: peakMoment });
    expect(peak!.events).toEqual([
      { trace: null, event: peakEvent, isPeak: true, of: devices[0]!.events },
    ]);
    for (const width of [300, 640, 1400]) {
      for (const half of [10, 100, 1e6]) {
        const low = Math.max(data.span[0], peakEvent - half);
        const high = Math.min(data.span[1], peakEvent + half);
        const chart = drawn(data, [low, high], width);
        const [plot] = chart.plots;
        const top = topOf(areasOf(chart));
        expect(top.y).toBeCloseTo(plot!.y(peakRequestedBytes), 0);
        expect(top.width).toBeGreaterThanOrEqual(1);
        // Within the axis, with its words.
        expect(plot!.peak!.at.y).toBeGreaterThan(plot!.box.y);
        const words = `peak 893 MiB · step ${peakMoment.step}, ${peakMoment.phase}`;
        expect(textsOf(chart.scene.nodes)).toContain(words);
        expect(plot!.peak!.label.y).toBeGreaterThanOrEqual(plot!.box.y - 2);
      }
    }
    expect(drawn(data, [0, peakEvent - 100], 640).plots[0]!.peak).toBeNull();
  });

  it('of a line is drawn at its height, in the middle of a column, at any zoom', () => {
    const builder = new RecordingBuilder({ id: 'spiky', name: 'spiky' });
    builder.table('host', ['MemTotal', 'MemAvailable']);
    for (let i = 0; i < 10_000; i++) {
      const available = i === 6789 ? 1e9 : 6e9 + (i % 7) * 1e6;
      addRow(builder, 'host', { time: i * 1e7, MemTotal: 8e9, MemAvailable: available });
    }
    const data = panels(builder.build(), [], { columns: 4000 });
    for (const range of [data.span, [60, 70], [67.8, 68]] as const) {
      for (const width of [300, 1000]) {
        const chart = drawn(data, range, width);
        const lines = flat(chart.scene.nodes).filter(
          (node): node is PathNode => node.node === 'path' && node.stroke?.width === 1.6,
        );
        const [plot] = chart.plots;
        const top = Math.min(...lines.flatMap(cornersOf).map(({ y }) => y));
        expect(top).toBeCloseTo(plot!.y(7e9), 0);
        expect(plot!.peak!.at.y).toBeCloseTo(plot!.y(7e9), 6);
        expect(textsOf(chart.scene.nodes)).toContain(
          `peak ${formatBytes(7e9)} · at ${formatDuration(67.89)}`,
        );
      }
    }
  });

  it('is the headline’s where the kernel saw more than any sample', () => {
    const builder = new RecordingBuilder({
      id: 'k',
      name: 'k',
      cgroup: { version: 2, own: true, limitBytes: null },
    });
    builder.table('process', ['pid', 'rss', 'pss']);
    builder.table('cgroup', ['current', 'peak', 'file']);
    for (let i = 0; i < 50; i++) {
      const time = i * 1e8;
      addRow(builder, 'process', { time, pid: 7, rss: 100e6, pss: 100e6 });
      const peak = i < 30 ? 100e6 : 150e6;
      addRow(builder, 'cgroup', { time, current: 100e6, peak, file: 0 });
    }
    const recording = builder.build();
    const { headline } = report(recording);
    const tree = panels(recording, []).panels.find(({ id }) => id === 'tree')!;
    expect(headline).toMatchObject({ measure: 'kernel', bytes: 150e6 });
    expect(tree.peak).toMatchObject({ by: 'kernel', value: 150e6, x: headline!.seconds });
    expect(tree.highest).toBe(150e6);
  });

  it('of samples is the report’s peak of the series', () => {
    const recording = sampleRecording(200);
    const { peaks } = report(recording);
    const all = panels(recording, []).panels;
    for (const [id, series] of [
      ['host', 'host.used'],
      ['tree', 'tree.pss'],
    ]) {
      const { bytes, seconds } = peaks.find((peak) => peak.series === series)!;
      expect(all.find((panel) => panel.id === id)!.peak).toMatchObject({
        value: bytes,
        x: seconds,
      });
    }
  });
});

describe('a trace of many steps', () => {
  it('has the peak and the end of each, as the report does', async () => {
    const recording = await openInput(STEPS);
    const { steps, peakRequestedBytes } = report(recording).devices[0]!;
    const { envelope } = panels(recording, [], { clock: 'event', columns: 4000 }).panels[0]!;
    const totals = totalOf({ x: envelope!.x, bands: envelope!.bands });
    expect(steps.count).toBeGreaterThan(50);
    for (const [i, step] of steps.first.entries()) {
      const at = envelope!.x.indexOf(step.startEvent);
      expect(at, `step ${i + 1}`).toBeGreaterThanOrEqual(0);
      expect(totals[at], `step ${i + 1}`).toBe(step.peakRequestedBytes);
      expect(envelope!.ends[at], `step ${i + 1}`).toBe(step.endRequestedBytes);
    }
    expect(Math.max(...totals)).toBe(peakRequestedBytes);
  });

  it('is drawn by steps where they are narrow, and event by event when zoomed in', async () => {
    const recording = await openInput(STEPS);
    const data = panels(recording, [], { clock: 'event', columns: 4000 });
    const { value } = data.panels[0]!.peak!;
    const whole = drawn(data, data.span, 300);
    expect(textsOf(whole.scene.nodes).join('\n')).toContain('peak of each step');
    expect(textsOf(whole.scene.nodes)).toContain(STEP_END);
    expect(topOf(areasOf(whole)).y).toBeCloseTo(whole.plots[0]!.y(value), 0);
    const near = drawn(data, [1000, 1600], 300);
    expect(textsOf(near.scene.nodes).join('\n')).not.toContain('peak of each step');
    // Few steps have room enough from the start.
    expect(textsOf(drawn(data, data.span, 1400).scene.nodes)).not.toContain(STEP_END);
  });
});

const mark = (kind: string, seconds: number, rest: Partial<TimelineMark> = {}): TimelineMark => ({
  ...{ kind, seconds, name: '', epoch: null, iteration: null },
  ...rest,
});

describe('marks', () => {
  it('are thinned to what can be read', () => {
    const steps = Array.from({ length: 850 }, (_, i) => mark('iteration', i, { iteration: i }));
    const phases = steps.map(({ seconds }) => mark('phase', seconds, { name: 'Optimizer.step' }));
    const nodes = markLane([...steps, ...phases], (value) => value * 1.3, 0, 1105, LIGHT);
    const ticks = nodes
      .filter((node): node is PathNode => node.node === 'path')
      .map(({ d }) => [...d.matchAll(/M([\d.]+),/g)].map(([, at]) => Number(at)));
    for (const places of ticks) {
      expect(places.length).toBeGreaterThan(20);
      expect(Math.min(...places.slice(1).map((at, i) => at - places[i]!))).toBeGreaterThan(5);
    }
    const words = textsOf(nodes);
    expect(words.filter((word) => word === 'Optimizer.step')).toHaveLength(1);
    // Round numbers.
    const numbers = words.filter((word) => /^\d+$/.test(word)).map(Number);
    expect(numbers.length).toBeGreaterThan(5);
    for (const number of numbers) expect(number % 10).toBe(0);
    expect(nodes.filter(({ node }) => node === 'line')).toHaveLength(1);
  });

  it('say where a moment lies, and of no epoch the iterations of another', () => {
    const marks = [
      mark('epoch', 0, { epoch: 1 }),
      mark('iteration', 5, { iteration: 41 }),
      mark('epoch', 6, { epoch: 2 }),
      mark('phase', 6.5, { name: 'validate' }),
      mark('phase', 7, { name: '/validate' }),
      mark('iteration', 8, { iteration: 1 }),
    ];
    const at = (seconds: number) => marksWords(lastMarks(marks, seconds));
    expect(at(-1)).toBe('');
    expect(at(5.5)).toBe('after iteration 41, epoch 1');
    expect(at(6.2)).toBe('epoch 2');
    expect(at(6.7)).toBe('epoch 2, validate');
    expect(at(9)).toBe('after iteration 1, epoch 2');
    expect(stepWords({ step: 3, phase: 'backward' })).toBe('step 3, backward');
    expect(stepWords({ step: 3, phase: 'between' })).toBe('step 3');
    expect(stepWords({ step: null, phase: 'setup' })).toBe('before the first step');
    expect(stepWords({ step: null, phase: null })).toBe('');
  });
});
