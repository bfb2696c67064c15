import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect } from 'vitest';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { inBrowser, newPage } from '../support/chromium.ts';
import { highwater, place } from '../support/recorder.ts';
import { addRow } from '../support/rows.ts';
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
  const start = { time_from: TIME_FROM.agent, kind: 'start', name: 'start' };
  addRow(builder, 'marks', { time: 0, pid: 100, ...start });
  for (const [i, text] of HOSTILE.entries()) {
    const names = { argv: text, name: text, role: text };
    const seen = { start_time: 4711 + i, first_seen: 0 };
    addRow(builder, 'processes', { pid: 100 + i, ppid: 1, ...names, ...seen });
    addRow(builder, 'marks', { time: 1e8 * (i + 1), pid: 100, kind: 'phase', name: text });
    const part = { epoch: 1, iteration: 1, name: text, kind: 'weight', bytes: 1e6 * (i + 1) };
    addRow(builder, 'layers', { time: 1e8, pid: 100, ...part });
  }
  for (let row = 0; row < 50; row++) {
    for (let i = 0; i < HOSTILE.length; i++) {
      const rss = 1e6 * (row + i);
      const sizes = { rss, anon: rss, swap: 0, hwm: rss, pss: rss };
      addRow(builder, 'process', { time: row * 2e7, pid: 100 + i, ...sizes });
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
