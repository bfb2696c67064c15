import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import { plainRows } from '../../src/model/plain.ts';
import { type TableName, tableSpec } from '../../src/model/schema.ts';
import { inBrowser, newPage } from '../support/chromium.ts';
import { highwater, place } from '../support/recorder.ts';
import { viewing } from './viewing.ts';

const HOSTILE = [
  '</script><script>globalThis.hit = 1</script>',
  '"><img src=x onerror="globalThis.hit = 1">',
  "'; globalThis.hit = 1; //",
  '\u202Egnp.exe\u202C \u2066right\u2069 \u0000\u001b[31m',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: meant as a text
  '${globalThis.hit = 1}{{constructor.constructor("globalThis.hit = 1")()}}',
  '長'.repeat(300),
  'x'.repeat(100_000),
];
let folder: string;

/** Every text of it is hostile: names, commands, marks, layers, warnings. */
beforeAll(() => {
  const builder = new RecordingBuilder({
    id: HOSTILE[0]!,
    name: HOSTILE[0]!,
    argv: HOSTILE.slice(0, 5),
    subject: 'command',
    startedAt: '2026-01-02T03:04:05.000Z',
    endedAt: '2026-01-02T03:04:06.000Z',
    warnings: [...HOSTILE],
    labels: { rank: '0' },
  });
  const table = (name: TableName) => plainRows(builder, tableSpec(name));
  const [processes, process, marks, layers] = [
    table('processes'),
    table('process'),
    table('marks'),
    table('layers'),
  ];
  marks([0, 2, 100, null, 'start', 'start', null, null, null]);
  for (const [i, text] of HOSTILE.entries()) {
    processes([100 + i, 4711 + i, 1, text, text, text, null, 0, null]);
    marks([1e8 * (i + 1), 0, 100, null, 'phase', text, null, null, null]);
    layers([1e8, 100, null, 1, 1, text, 'weight', 1e6 * (i + 1)]);
  }
  for (let row = 0; row < 50; row++) {
    for (let i = 0; i < HOSTILE.length; i++) {
      const rss = 1e6 * (row + i);
      process([row * 2e7, 100 + i, rss, rss, null, null, 0, rss, rss, 0]);
    }
  }
  folder = place('hostile.hw');
  mkdirSync(folder);
  saveRecording(builder.build(), folder);
});

/** Opens every page and looks for harm. */
async function harmless(page: Page): Promise<void> {
  const pages = await page.locator('nav a').all();
  expect(pages.length).toBeGreaterThan(1);
  for (const link of pages) {
    await link.click();
    await page.locator('.page').waitFor();
    await page.waitForTimeout(300);
    expect(await page.evaluate('globalThis.hit')).toBeUndefined();
    expect(await page.locator('.page img, .page script').count()).toBe(0);
    const place = page.url().split('#')[1];
    const wide = 'document.documentElement.scrollWidth - innerWidth';
    expect(await page.evaluate(wide), place).toBeLessThanOrEqual(0);
  }
  await page.locator('nav a').first().click();
  await page.locator('.headline').waitFor();
  const tall = await page.evaluate('document.documentElement.scrollHeight / innerHeight');
  expect(tall).toBeLessThanOrEqual(1.5);
}

describe('hostile names', () => {
  inBrowser('neither run nor break the layout when served', async () => {
    const { page, errors } = await viewing([folder]);
    await harmless(page);
    expect(errors).toEqual([]);
  });

  inBrowser('neither run nor break the layout in a file', async () => {
    const file = place('hostile.html');
    const { code, stderr } = await highwater(['report', folder, '--html', file]);
    expect(code, stderr).toBe(0);
    const { page, errors } = await newPage({ offline: true });
    await page.goto(`file://${file}`);
    await page.locator('nav a').first().waitFor();
    await harmless(page);
    expect(errors).toEqual([]);
    await page.close();
  });
});
