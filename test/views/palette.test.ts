import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CATEGORIES } from '../../src/analyses/allocations/evidence/reasons.ts';
import { ACCOUNTING_BANDS } from '../../src/model/layers/kinds.ts';
import { byStackOrder, kindName, MEMORY_KINDS, memoryKind } from '../../src/model/memory-kinds.ts';
import {
  DARK,
  kindColor,
  LIGHT,
  partColors,
  shade,
  type Theme,
} from '../../src/views/chart/palette.ts';
import { contrast, distance, VISIONS } from '../support/color-vision.ts';

const THEMES: readonly (readonly [string, Theme])[] = [
  ['light', LIGHT],
  ['dark', DARK],
];

const LAYER_KINDS = [
  ...['weight', 'gradient', 'buffer', 'optimizer', 'feature_map', 'intermediate_gradient'],
  ...['input', 'output', 'kept', 'other'],
];
/** Kinds that one picture may have side by side. */
const TOGETHER = { categories: CATEGORIES, layers: LAYER_KINDS, bands: ACCOUNTING_BANDS };

/**
 * CIEDE2000 of two colours that must be told apart. 1 to 2 is noticed side by side; from about 10 on two colours are
 * named differently at a glance, without the other beside it, as between a picture and its legend. 12 leaves some room for screens.
 */
const LEAST_DISTANCE = 12;
/** WCAG 1.4.11, for graphics. */
const LEAST_MARK = 3;
/** WCAG 1.4.3, for text. */
const LEAST_TEXT = 4.5;

const pairs = <T>(all: readonly T[]) =>
  all.flatMap((one, i) => all.slice(i + 1).map((other) => [one, other] as const));

describe('the measures of colours', () => {
  it('are those of the books', () => {
    expect(contrast('#ffffff', '#000000')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(distance('#123456', '#123456', 'normal')).toBe(0);
    expect(distance('#ffffff', '#000000', 'normal')).toBeCloseTo(100, 3);
    // Red and a green of its lightness: far for most, near for a deuteranope.
    expect(distance('#d00000', '#6a6a00', 'normal')).toBeGreaterThan(35);
    expect(distance('#d00000', '#6a6a00', 'deuteranopia')).toBeLessThan(20);
    expect(distance('#808080', '#858585', 'tritanopia')).toBeLessThan(3);
  });
});

describe.each(THEMES)('colours on %s', (name, theme) => {
  const css = tokens(name);

  it('stand out from the ground', () => {
    const marks = [
      ...Object.values(theme.kinds),
      ...Array.from({ length: 64 }, (_, place) => shade(theme, place)),
      ...partColors(
        theme,
        Array.from({ length: 40 }, (_, i) => `library ${i}`),
      ),
      theme.mark,
      theme.alarm,
    ];
    for (const ground of [theme.background, css['--raised']!]) {
      for (const mark of marks) {
        expect(contrast(mark, ground), `${mark} on ${ground}`).toBeGreaterThanOrEqual(LEAST_MARK);
      }
    }
  });

  it('are told apart by every eye', () => {
    for (const [picture, kinds] of Object.entries(TOGETHER)) {
      for (const [one, other] of pairs(kinds)) {
        for (const vision of VISIONS) {
          const apart = distance(kindColor(theme, one), kindColor(theme, other), vision);
          expect(apart, `${picture}: ${one}, ${other}, ${vision}`).toBeGreaterThan(LEAST_DISTANCE);
        }
      }
    }
    for (const [one, other] of pairs(theme.series)) {
      for (const vision of VISIONS) {
        expect(distance(one, other, vision), `${one} ${other}`).toBeGreaterThan(LEAST_DISTANCE);
      }
    }
  });

  it('can be read as text', () => {
    const grounds = [css['--background']!, css['--raised']!];
    for (const token of ['--ink', '--muted', '--accent', '--alarm', '--good']) {
      for (const ground of grounds) {
        const seen = contrast(css[token]!, ground);
        expect(seen, `${token} on ${ground}`).toBeGreaterThanOrEqual(LEAST_TEXT);
      }
    }
    for (const token of ['--ink', '--muted', '--alarm']) {
      const seen = contrast(css[token]!, css['--alarm-ground']!);
      expect(seen, `${token} on the alarm's ground`).toBeGreaterThanOrEqual(LEAST_TEXT);
    }
    for (const text of [theme.ink, theme.muted, theme.alarm]) {
      expect(contrast(text, theme.background), text).toBeGreaterThanOrEqual(LEAST_TEXT);
    }
  });

  it('are the same in charts and around them', () => {
    expect(css['--background']).toBe(theme.background);
    expect(css['--ink']).toBe(theme.ink);
    expect(css['--muted']).toBe(theme.muted);
    expect(css['--alarm']).toBe(theme.alarm);
  });

  it('never change with the key that a recording has', () => {
    for (const key of ['weight', 'parameters']) {
      expect(kindColor(theme, key)).toBe(kindColor(theme, 'parameter'));
    }
    expect(kindColor(theme, 'feature_map')).toBe(kindColor(theme, 'activation'));
    expect(kindColor(theme, 'optimizer')).toBe(kindColor(theme, 'optimizer_state'));
    const bar = partColors(theme, ['libraries', 'parameters', 'heap', 'rest']);
    expect(bar[1]).toBe(kindColor(theme, 'parameter'));
    expect(new Set(bar).size).toBe(4);
  });
});

describe('the words for memory', () => {
  it('are one for one thing', () => {
    expect(['parameter', 'parameters', 'weight'].map(kindName)).toEqual(
      Array(3).fill('parameters'),
    );
    expect(['activation', 'feature_map'].map(kindName)).toEqual(Array(2).fill('activations'));
    expect(['optimizer', 'optimizer_state'].map(kindName)).toEqual(
      Array(2).fill('optimizer state'),
    );
    for (const key of [...CATEGORIES, ...LAYER_KINDS, ...ACCOUNTING_BANDS]) {
      expect(memoryKind(key), key).not.toBeNull();
    }
    expect(kindName('texture_cache')).toBe('texture cache');
    expect(memoryKind('constructor')).toBeNull();
  });

  it('stand in one order, from what stays to what goes', () => {
    expect([...CATEGORIES].sort(byStackOrder)).toEqual([
      ...['parameter', 'optimizer_state', 'gradient', 'input', 'activation', 'workspace'],
      ...['temporary', 'unknown'],
    ]);
    expect([...ACCOUNTING_BANDS].sort(byStackOrder)).toEqual(ACCOUNTING_BANDS);
    expect([...MEMORY_KINDS].sort(byStackOrder)).toEqual(MEMORY_KINDS);
    expect(['texture', 'unknown', 'weight'].sort(byStackOrder)).toEqual([
      ...['weight', 'unknown', 'texture'],
    ]);
  });
});

/** The page's own colours in one theme. */
function tokens(theme: string): Record<string, string> {
  const css = readFileSync('src/web/theme.css', 'utf8');
  const blocks = [css.match(/:root \{([^}]*)\}/)![1]!];
  if (theme === 'dark') blocks.push(css.match(/:root\[data-theme="dark"\] \{([^}]*)\}/)![1]!);
  const found = blocks.flatMap((block) => [...block.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)]);
  return Object.fromEntries(found.map(([, name, value]) => [name!, value!]));
}
