import { describe, expect, it } from 'vitest';
import { meminfoFields } from '../../src/analyses/meminfo-fields.ts';
import { timeline } from '../../src/analyses/timeline.ts';
import { GiB, KiB, MiB } from '../../src/base/bytes.ts';
import { byteAxis, timeAxis } from '../../src/views/chart/axes.ts';
import { downsample, scatter } from '../../src/views/chart/downsample.ts';
import type { Node, Scene, TextNode } from '../../src/views/chart/scene.ts';
import { escapeXml, sceneSvg } from '../../src/views/chart/svg.ts';
import { fitText, textWidth } from '../../src/views/chart/text-width.ts';
import { fieldsChart } from '../../src/views/chart/timeline/fields.ts';
import { timelineChart } from '../../src/views/chart/timeline/timeline.ts';
import { valueDomain } from '../../src/views/chart/value-domain.ts';
import { type Drawing, drawRecording } from '../analyses/drawn.ts';

const ramp = <T>(n: number, value: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => value(i));

function chart(
  drawing: Drawing,
  series: string[],
  style: 'lines' | 'points' = 'lines',
  title = 'T',
): Scene {
  return timelineChart(timeline(drawRecording(drawing), series), { title, style });
}

function texts(scene: Scene): TextNode[] {
  const walk = (node: Node): TextNode[] =>
    node.node === 'text' ? [node] : node.node === 'group' ? node.children.flatMap(walk) : [];
  return scene.nodes.flatMap(walk);
}

/** The box that a text takes, for collisions and cut labels. */
function extent(text: TextNode) {
  const width = textWidth(text.text, text.size, text.weight);
  if (text.upwards)
    return {
      left: text.x - text.size,
      right: text.x,
      top: text.y - width / 2,
      bottom: text.y + width / 2,
    };
  const left =
    text.anchor === 'middle' ? text.x - width / 2 : text.anchor === 'end' ? text.x - width : text.x;
  return {
    left,
    right: left + width,
    top: text.y - text.size * 0.75,
    bottom: text.y + text.size * 0.2,
  };
}

function expectTidy(scene: Scene): void {
  const boxes = texts(scene).map((text) => ({ text: text.text, ...extent(text) }));
  for (const [i, a] of boxes.entries()) {
    expect(a.left, a.text).toBeGreaterThanOrEqual(0);
    expect(a.right, a.text).toBeLessThanOrEqual(scene.width);
    expect(a.top, a.text).toBeGreaterThanOrEqual(0);
    expect(a.bottom, a.text).toBeLessThanOrEqual(scene.height);
    for (const b of boxes.slice(i + 1)) {
      const apart =
        a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      expect(apart, `'${a.text}' and '${b.text}' overlap`).toBe(true);
    }
  }
}

describe('downsampling', () => {
  const identity = (value: number) => value;

  it('keeps every extreme, however short', () => {
    const n = 1_000_000;
    const xs = Float64Array.from({ length: n }, (_, i) => (i / n) * 800);
    const ys = Float64Array.from({ length: n }, (_, i) => (i * 7919) % 100);
    ys[777_777] = 1e9;
    ys[123_456] = -1e9;
    const points = downsample(xs, ys, identity, identity).flat();
    expect(points.length).toBeLessThanOrEqual(4 * 800);
    expect(points.map((p) => p.y)).toContain(1e9);
    expect(points.map((p) => p.y)).toContain(-1e9);
    expect(points.every((p, i) => i === 0 || p.x >= points[i - 1]!.x)).toBe(true);
  });

  it('leaves few samples as they are and breaks at nulls', () => {
    const xs = Float64Array.of(0, 10, 20, 30, 40);
    const ys = Float64Array.of(1, 2, Number.NaN, 4, 5);
    const runs = downsample(xs, ys, identity, identity);
    expect(runs.map((run) => run.map((p) => p.y))).toEqual([
      [1, 2],
      [4, 5],
    ]);
    expect(scatter(xs, ys, identity, identity)).toHaveLength(4);
  });
});

describe('axes', () => {
  const labels = (low: number, high: number) => {
    const { unit, major } = byteAxis({ low, high }, 8);
    return `${major.map((tick) => tick.label).join(' ')} ${unit}`;
  };

  it('count in round numbers of binary units', () => {
    expect(labels(0, 330 * MiB)).toBe('0 50 100 150 200 250 300 MiB');
    expect(labels(0, 3.1 * GiB)).toBe('0 0.5 1.0 1.5 2.0 2.5 3.0 GiB');
    expect(labels(0, 60 * GiB)).toBe('0 8 16 24 32 40 48 56 GiB');
    expect(labels(0, 700 * KiB)).toBe('0 100 200 300 400 500 600 700 KiB');
    expect(labels(2440 * MiB, 2760 * MiB)).toBe('2,450 2,500 2,550 2,600 2,650 2,700 2,750 MiB');
  });

  it('tell time in the unit that fits, with a fine line each second up to a minute', () => {
    const minute = timeAxis({ low: -5, high: 50 }, 12);
    expect(minute.unit).toBe('Seconds');
    expect(minute.major.map((tick) => tick.label)).toContain('−5');
    expect(minute.minor).toContain(1);
    expect(minute.minor).toContain(49);
    expect(timeAxis({ low: 0, high: 1800 }, 10).unit).toBe('Minutes');
    expect(timeAxis({ low: 0, high: 20_000 }, 10).major.map((tick) => tick.label)).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '5',
    ]);
    expect(timeAxis({ low: 0, high: 6e5 }, 10).unit).toBe('Days');
  });

  it('start at zero unless a small change on a high level would be lost, and never blow up noise', () => {
    expect(valueDomain(10, 1000 * MiB)).toEqual({ low: 0, high: 1000 * MiB, zeroBased: true });
    expect(valueDomain(2460 * MiB, 2725 * MiB)).toEqual({
      low: 2460 * MiB,
      high: 2725 * MiB,
      zeroBased: false,
    });
    const noise = valueDomain(8000 * MiB, 8000.1 * MiB);
    expect(noise.high - noise.low).toBeGreaterThan(79 * MiB);
    expect(valueDomain(12 * MiB, 12 * MiB).zeroBased).toBe(true);
    expect(valueDomain(0, 0)).toEqual({ low: 0, high: 1, zeroBased: true });
  });
});

describe('a timeline', () => {
  const busy: Drawing = {
    at: ramp(500, (i) => i / 10),
    processes: [{ pid: 1, rss: ramp(500, (i) => 100 + i), pss: ramp(500, (i) => 90 + i) }],
    marks: [
      'start@0',
      ...ramp(30, (i) => i).map((i) => `epoch ${i}@${1 + i * 1.5}`),
      'note the validation begins here@45',
      'note a checkpoint is written@45.5',
      'end@49.9',
    ].sort((a, b) => Number(a.split('@')[1]) - Number(b.split('@')[1])),
  };

  it('says what it shows: title, axes with units, series, the peak', () => {
    const words = texts(chart(busy, ['tree.pss'], 'lines', 'LeNet')).map((node) => node.text);
    for (const expected of [
      'LeNet',
      'Memory (MiB)',
      'Seconds since the workload started',
      'process tree, proportional (PSS)',
      'peak 589 MiB · epoch 29',
      'start',
      'end',
    ]) {
      expect(words).toContain(expected);
    }
  });

  it.each(['lines', 'points'] as const)(
    'has no label that is cut or covers another (%s)',
    (style) => {
      expectTidy(chart(busy, ['tree.pss', 'tree.rss'], style, 'a long title '.repeat(20)));
      expectTidy(chart({ ...busy, marks: [] }, ['tree.rss'], style));
    },
  );

  it('draws a spike of one sample at full height', () => {
    const rss = ramp(100_000, (i) => (i === 31_337 ? 4096 : 512));
    const scene = chart({ at: ramp(100_000, (i) => i / 100), processes: [{ pid: 1, rss }] }, [
      'tree.rss',
    ]);
    expect(texts(scene).map((node) => node.text)).toContain('peak 4.00 GiB · at 5 min 13 s');
    const ring = scene.nodes.find((node) => node.node === 'circle')!;
    expect(sceneSvg(scene)).toContain(`,${Math.round(ring.y * 100) / 100}`);
  });

  it('says when the axis does not start at zero, and when the recorder was taken off', () => {
    const at = [0, 1, 2];
    const host = {
      MemTotal: [9e3, 9e3, 9e3],
      MemAvailable: [1e3, 990, 1e3],
      recorder_anon: [9, 9, 9],
    };
    const words = texts(chart({ at, host }, ['host.used'])).map((node) => node.text);
    expect(words).toContain('The MiB axis does not start at zero.');
    expect(words).toContain('whole machine, in use, recorder subtracted');
  });

  it('thins iterations by their number, and thousands of other marks to one a pixel', () => {
    const many = ramp(5000, (i) => `iteration ${i * 100}@${i / 100}`);
    const phases = ramp(5000, (i) => `phase forward@${i / 100}`);
    const marks = [...many, ...phases].sort(
      (a, b) => Number(a.split('@')[1]) - Number(b.split('@')[1]),
    );
    const scene = chart({ at: [0, 50], processes: [{ pid: 1, rss: [1, 2] }], marks }, ['tree.rss']);
    expect(texts(scene).map((node) => node.text)).toContain(
      'Ticks along the bottom: every 5000th iteration.',
    );
    expect(scene.nodes.length).toBeLessThan(2000);
    expectTidy(scene);
  });

  it("shows the kernel's own peak where no sample reached it", () => {
    const cgroup = { current: [10, 20, 15], peak: [10, 64, 64] };
    const words = texts(chart({ at: [0, 1, 2], cgroup }, ['cgroup.current'])).map(
      (node) => node.text,
    );
    expect(words).toContain("the kernel's own peak 64.0 MiB");
  });

  it('shows a single sample as a dot', () => {
    const svg = sceneSvg(chart({ at: [3], processes: [{ pid: 1, rss: [12] }] }, ['tree.rss']));
    expect(svg).toContain('stroke-linecap="round"');
    expect(svg).not.toContain('NaN');
  });

  it('stays the same, to the letter', async () => {
    const scene = chart(
      { at: [0, 1, 2], processes: [{ pid: 1, rss: [1, 3, 2] }], marks: ['start@0'] },
      ['tree.rss'],
    );
    await expect(sceneSvg(scene)).toMatchFileSnapshot('golden/timeline.svg');
  });
});

describe('a grid of fields', () => {
  const drawing: Drawing = {
    at: ramp(50, (i) => i / 10),
    host: Object.fromEntries(
      ramp(54, (i) => i).map((i) => [
        i % 9 === 8 ? `AlwaysZero${i}` : `AFieldWithAName${i}`,
        ramp(50, (t) => (i % 9 === 8 ? 0 : 1000 + (i % 3) * t)),
      ]),
    ),
  };

  it('has a cell each field that was not zero throughout, and names the others', () => {
    const scene = fieldsChart(meminfoFields(drawRecording(drawing)), { title: 'T' });
    const words = texts(scene).map((node) => node.text);
    expect(words.filter((word) => word.startsWith('AField'))).toHaveLength(48);
    expect(words.join(' ')).toContain('Zero throughout: AlwaysZero8, AlwaysZero17');
    expect(words).toContain('always 1000 MiB');
    expectTidy(scene);
  });
});

describe('svg', () => {
  it('makes hostile text literal', () => {
    const hostile = '</title><script>alert(1)</script>\x00\x1b"\'&\ud800\uffff';
    const drawing: Drawing = {
      at: [0, 1],
      processes: [{ pid: 1, rss: [1, 2] }],
      marks: [`note ${hostile.slice(0, 20)}@0.5`],
    };
    const svg = sceneSvg(chart(drawing, ['tree.rss'], 'lines', hostile));
    expect(svg).not.toContain('<script');
    expect(svg).not.toMatch(/[\x00-\x09\x0b-\x1f\ufffe\uffff]/);
    expect(svg).not.toMatch(/\p{Surrogate}/u);
    expect(escapeXml('a<b>&"\'')).toBe('a&#60;b&#62;&#38;&#34;&#39;');
  });

  it('fits text into a width', () => {
    expect(fitText('short', 100, 12)).toBe('short');
    const cut = fitText('a very long name indeed', 60, 12);
    expect(cut).toMatch(/…$/);
    expect(textWidth(cut, 12)).toBeLessThanOrEqual(60);
  });
});
