import { describe, expect } from 'vitest';
import { inBrowser } from '../support/chromium.ts';
import { eachPage, SUBJECTS } from './every-page.ts';
import { viewing } from './viewing.ts';

/** As WCAG 2 has it: words, and marks that one has to see. */
const LEAST = { text: 4.5, mark: 3 };

interface Pale {
  readonly kind: 'text' | 'mark';
  readonly what: string;
  readonly colors: string;
  readonly ratio: number;
}

interface Judged {
  readonly judged: { readonly text: number; readonly mark: number };
  readonly pale: readonly Pale[];
}

/**
 * Every word and every mark in sight against what lies behind it, in the page and in its pictures. Controls that cannot be used now are
 * left out, as are lines of a grid and axes: they help the eye and say nothing.
 */
const PALE = `(() => {
  const parse = (text) => {
    const parts = /rgba?\\(([\\d.]+),? ([\\d.]+),? ([\\d.]+)(?:[,/ ]+([\\d.]+))?\\)/.exec(text);
    if (parts) return [+parts[1], +parts[2], +parts[3], parts[4] === undefined ? 1 : +parts[4]];
    const srgb = /color\\(srgb ([\\d.]+) ([\\d.]+) ([\\d.]+)(?: \\/ ([\\d.]+))?\\)/.exec(text);
    return srgb ? [255 * srgb[1], 255 * srgb[2], 255 * srgb[3], srgb[4] === undefined ? 1 : +srgb[4]] : null;
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const light = (color) => {
    const [r, g, b] = color.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const opacityOf = (one) => {
    let all = 1;
    for (let at = one; at; at = at.parentElement) all *= +getComputedStyle(at).opacity;
    return all;
  };
  const groundOf = (one) => {
    const layers = [];
    for (let at = one; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color && color[3] > 0) layers.push(color);
      if (color && color[3] === 1) break;
    }
    return layers.reverse().reduce((below, color) => over(color, below), parse(getComputedStyle(document.body).backgroundColor).slice(0, 3));
  };
  const inSight = (one) => {
    const box = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    return box.width > 0 && box.height > 0 && style.visibility === 'visible' && opacityOf(one) > 0.05;
  };
  const isOff = (one) => one.closest(':disabled, [aria-pressed=false], [aria-hidden=true], option, .rank .save') !== null;
  const words = (color) => color.slice(0, 3).map((v) => Math.round(v)).join(' ');
  const found = [];
  const judged = { text: 0, mark: 0 };
  const judge = (kind, one, color, ground) => {
    judged[kind]++;
    const least = kind === 'text' ? ${LEAST.text} : ${LEAST.mark};
    const ratio = contrast(over([...color.slice(0, 3), (color[3] ?? 1) * opacityOf(one)], ground), ground);
    if (ratio >= least - 0.005) return;
    const name = (one.textContent || '').trim().slice(0, 40) || one.tagName;
    const place = one.closest('[class]');
    found.push({ kind, what: name + ' in .' + (place?.getAttribute('class') ?? ''), colors: words(color) + ' on ' + words(ground), ratio: +ratio.toFixed(2) });
  };
  // Words of the page.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !one || one.closest('svg, script, style, noscript') || !inSight(one) || isOff(one)) continue;
    judge('text', one, parse(getComputedStyle(one).color), groundOf(one));
  }
  // Pictures: words over the last shape that lies behind them, shapes over the page.
  for (const svg of document.querySelectorAll('main svg')) {
    const page = groundOf(svg);
    const filled = [];
    for (const one of svg.querySelectorAll('rect, text, path, circle, line')) {
      if (!inSight(one) || isOff(one)) continue;
      const style = getComputedStyle(one);
      const fill = style.fill === 'none' ? null : parse(style.fill);
      const stroke = style.stroke === 'none' ? null : parse(style.stroke);
      const box = one.getBoundingClientRect();
      if (one.tagName === 'text') {
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const behind = filled.findLast(({ box: b }) => b.left <= x && x <= b.right && b.top <= y && y <= b.bottom);
        // A rim keeps words legible over whatever they lie on.
        judge('text', one, fill, stroke ? stroke.slice(0, 3) : (behind?.color ?? page));
        continue;
      }
      if (one.tagName === 'rect' && fill) filled.push({ box, color: over([...fill.slice(0, 3), fill[3] * opacityOf(one)], page) });
      const isGrid = one.tagName === 'line' || one.closest('[data-grid]') !== null;
      if (isGrid || one.closest('.pins, .plain')) continue;
      // What is drawn faintly stands behind what it belongs to.
      if (+style.opacity < 0.5) continue;
      // A shape is seen by its rim where it has one: a ring is hollow.
      if (one.tagName === 'path' || one.tagName === 'circle') {
        if (stroke ?? fill) judge('mark', one, stroke ?? fill, page);
      }
    }
  }
  // Swatches and parts of bars.
  for (const one of document.querySelectorAll('main .swatch, main .account-bar span')) {
    const color = parse(getComputedStyle(one).backgroundColor);
    if (!inSight(one) || isOff(one) || !color || color[3] === 0) continue;
    judge('mark', one, color, groundOf(one.parentElement.closest(':not(.account-bar)')));
  }
  const seen = new Set();
  const pale = found.filter(({ kind, colors }) => !seen.has(kind + colors) && seen.add(kind + colors));
  return { judged, pale };
})()`;

for (const dark of [false, true]) {
  describe(`words and marks are legible in ${dark ? 'dark' : 'light'} colours`, () => {
    for (const name of ['recording', 'killed', 'trace', 'two runs', 'two traces', 'heap']) {
      inBrowser(`on every page of ${name}`, async () => {
        const { page } = await viewing(await SUBJECTS[name]!(), { dark });
        const pale: Record<string, readonly Pale[]> = {};
        let [texts, marks] = [0, 0];
        await eachPage(page, async (title) => {
          const found = await page.evaluate<Judged>(PALE);
          texts += found.judged.text;
          marks += found.judged.mark;
          if (found.pale.length > 0) pale[title] = found.pale;
        });
        expect(pale).toEqual({});
        // Something was looked at: a few words on each page, and marks where there are pictures.
        expect(texts).toBeGreaterThan(20);
        if (name !== 'heap') expect(marks).toBeGreaterThan(2);
      });
    }
  });
}
