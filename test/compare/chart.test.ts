import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { overlay } from '../../src/analyses/overlay.ts';
import { renderPng } from '../../src/cli/output/png.ts';
import { openInput } from '../../src/open/open.ts';
import { overlayChart } from '../../src/views/chart/overlay/overlay.ts';
import { DARK, LIGHT, lineLook } from '../../src/views/chart/palette.ts';
import type { Node, Scene, TextNode } from '../../src/views/chart/scene.ts';
import { sceneSvg } from '../../src/views/chart/svg.ts';
import { tempFolder } from '../support/files.ts';
import { inOneProcess } from '../support/one-process.ts';
import { gpuRun, variants } from './runs.ts';

const flat = (nodes: readonly Node[]): Node[] =>
  nodes.flatMap((node) => (node.node === 'group' ? [node, ...flat(node.children)] : [node]));
const texts = (scene: Scene) =>
  flat(scene.nodes).filter((node): node is TextNode => node.node === 'text');
const words = (scene: Scene) => texts(scene).map(({ text }) => text);
const many = (n: number) =>
  Array.from({ length: n }, (_, i) => gpuRun(`run ${i}`, { 0: [0, 100 + i, 0] }));

describe('overlay chart', () => {
  it('legend by peak with its figures; units and true seconds on the axes', async () => {
    const shown = words(overlayChart(overlay(await variants())));
    const legend = shown.filter((text) => text.includes(': peak '));
    expect(legend).toEqual([
      'fft: peak 10,780 MiB at 15.3 s',
      'winograd: peak 1,520 MiB at 14.1 s',
      'im2col: peak 1,456 MiB at 13.7 s',
      'direct: peak 1,374 MiB at 13.1 s',
      'cudnn: peak 1,344 MiB at 12.8 s',
    ]);
    expect(shown).toEqual(
      expect.arrayContaining([
        'GPU memory of 5 runs',
        'GPU 0, in use; above the first sample of each run',
        'Memory (MiB)',
        'Seconds since the first sample',
      ]),
    );
    // The axis speaks the unit of the figures beside it.
    expect(shown).toContain('10,000');
  });

  it('one that dwarfs the rest gets a second panel beneath, in which the rest fill the height', async () => {
    const scene = overlayChart(overlay(await variants()));
    expect(words(scene)).toContain('Closer: the lower runs; fft goes on above');
    const plots = scene.nodes.filter((node) => node.node === 'group');
    expect(plots).toHaveLength(2);
    const rings = scene.nodes.filter((node) => node.node === 'circle');
    expect(rings).toHaveLength(5 + 4);
    const close = rings.slice(5).map(({ y }) => y);
    expect(Math.max(...close) - Math.min(...close)).toBeGreaterThan(20);
  });

  it('alike runs, or a single one, need one panel only', async () => {
    const [cudnn, direct] = await variants();
    for (const runs of [[cudnn!], [cudnn!, direct!]]) {
      const scene = overlayChart(overlay(runs, { baseline: 'absolute' }), { theme: DARK });
      expect(scene.nodes.filter((node) => node.node === 'group')).toHaveLength(1);
      expect(words(scene)).toContain('GPU 0, in use');
    }
  });

  it('nothing is drawn miles away: a renderer once aborted over it', async () => {
    const scene = overlayChart(
      overlay([gpuRun('a', { 0: [0, 5e6, 0] }), gpuRun('b', { 0: [0, 1] })]),
    );
    const paths = flat(scene.nodes).flatMap((node) => (node.node === 'path' ? [node.d] : []));
    const heights = paths.flatMap((d) => [...d.matchAll(/,(-?[\d.]+)/g)].map((m) => Number(m[1])));
    expect(Math.min(...heights)).toBeGreaterThan(0);
    expect(Math.max(...heights)).toBeLessThan(scene.height);
    const png = await renderPng(sceneSvg(scene), 1);
    expect(png.length).toBeGreaterThan(5000);
  });

  it('any number of runs: each look is its own up to 28, a long legend is cut with a count', () => {
    const looks = Array.from({ length: 28 }, (_, i) => JSON.stringify(lineLook(LIGHT, i)));
    expect(new Set(looks).size).toBe(28);
    const shown = words(overlayChart(overlay(many(60))));
    expect(shown.filter((text) => text.includes(': peak '))).toHaveLength(24);
    expect(shown).toContain('and 36 more, all of them with lower peaks');
  });

  it('labels of peaks cover neither each other nor a ring', () => {
    const scene = overlayChart(overlay(many(12)));
    const rings = scene.nodes.filter((node) => node.node === 'circle');
    const labels = texts(scene).filter((node) => node.halo);
    expect(labels.length).toBeGreaterThan(0);
    for (const label of labels) {
      for (const ring of rings) {
        const across = Math.abs(ring.x - label.x) < 20;
        expect(across && ring.y > label.y - 8 && ring.y < label.y).toBe(false);
      }
    }
  });

  it('a run of one sample is a dot, and hostile names stay text', () => {
    const scene = overlayChart(overlay([gpuRun('<script>&', { 0: [7] })]), { title: 'T' });
    expect(flat(scene.nodes).some((node) => node.node === 'dots')).toBe(true);
    expect(sceneSvg(scene)).not.toContain('<script>');
  });
});

describe('a part of runs', () => {
  const LOGS = ['fft', 'cudnn'].map(
    (name) => `test/fixtures/formats/nvidia-smi/h200/memory_${name}.txt`,
  );

  it('at their first rise, between two moments', async () => {
    const runs = await Promise.all(
      LOGS.map(async (path) => ({ name: path, recording: await openInput(path) })),
    );
    const range = { from: -1, to: 3 };
    const data = overlay(runs, { align: 'first-rise', range });
    expect(data.zero).toBe('first rise');
    for (const { seconds, bytes } of data.lines) {
      expect(seconds[0]).toBeGreaterThanOrEqual(-1);
      expect(seconds.at(-1)).toBeLessThanOrEqual(3);
      const before = bytes.subarray(
        0,
        seconds.findIndex((one) => one >= 0),
      );
      expect(new Set(before)).toEqual(new Set([0]));
    }
    // fft goes on to 10,780 MiB later than that.
    expect(data.lines[0]!.peak.bytes).toBeLessThan(2 ** 31);
    const later = overlay(runs, { range: { from: 17, to: 18 } });
    expect(later.skipped).toMatchObject([{ reason: 'it has no samples in that time' }]);
  });

  it('plot --from --to says what it cannot draw', async () => {
    const [log] = LOGS;
    for (const [flags, said] of [
      [['--from', '2x'], "'2x' is no time: as 90, 1.5s, 200ms, 2m or 1h30m"],
      [['--from', '1h'], 'there is nothing of gpu0.used in that time'],
      [['--from', '3', '--to', '2s'], '--from must be before --to'],
      [['--fields', '--from', '3'], '--from and --to are for charts over time'],
    ] as const) {
      const { code, stderr } = await inOneProcess(['plot', resolve(log!), ...flags]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    }
    const out = join(tempFolder(), 'part.svg');
    const { code } = await inOneProcess([
      'plot',
      resolve(log!),
      '--from',
      '10s',
      '--to',
      '0.2m',
      '-o',
      out,
    ]);
    expect(code).toBe(0);
    const svg = readFileSync(out, 'utf8');
    expect(svg).toContain('A part of the run; peaks are those within it.');
    expect(svg).not.toMatch(/>peak 10\.5/);
  });
});
