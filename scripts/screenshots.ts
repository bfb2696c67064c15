import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import * as subjects from './screenshots/subjects.ts';

/**
 * Makes docs/images/view-*.png: every page of the web view in a real browser, of recordings that are made
 * here and of the project's own fixtures. `npm run build`, then
 *
 *     npx tsx scripts/screenshots.ts            # all of them
 *     npx tsx scripts/screenshots.ts layers heap
 *
 * With `--all FOLDER` every page of every subject, in light, in dark, 390 pixels wide and as printed, to look at: nothing that is kept.
 *
 *     npx tsx scripts/screenshots.ts --all /tmp/pages
 *     npx tsx scripts/screenshots.ts --all /tmp/pages training heaps
 */
interface Shot {
  readonly name: string;
  readonly subject: subjects.Subject;
  readonly hash: string;
  readonly dark?: true;
  /** Brings the page to where there is something to see. */
  act?(page: Page): Promise<void>;
}

const OUT = 'docs/images';
const CHROMIUM = process.env.HIGHWATER_CHROMIUM ?? '/usr/bin/chromium';
/** A page is done when nothing is loading and nothing moves any more. */
const SETTLE_MS = 800;

const MODES = [
  { mode: 'light', width: 1280, dark: false, print: false },
  { mode: 'dark', width: 1280, dark: true, print: false },
  { mode: '390', width: 390, dark: false, print: false },
  { mode: 'print', width: 800, dark: true, print: true },
];

const row = (page: Page, table: string, name: RegExp) =>
  page.locator(`table[aria-label="${table}"] tr`, { hasText: name }).first();

const SHOTS: readonly Shot[] = [
  { name: 'overview', subject: subjects.lenet, hash: '#/overview' },
  { name: 'timeline', subject: subjects.lenet, hash: '#/timeline' },
  { name: 'map', subject: subjects.training, hash: '#/map' },
  { name: 'flame', subject: subjects.training, hash: '#/flame' },
  { name: 'segments', subject: subjects.training, hash: '#/segments' },
  { name: 'what-if', subject: subjects.lengths, hash: '#/what-if' },
  { name: 'layers', subject: subjects.lenet, hash: '#/layers' },
  {
    name: 'heap',
    subject: subjects.heaps,
    hash: '#/heap?run=1&show=partition',
    act: async (page) => {
      await page.locator('table[aria-label=partition]').waitFor({ timeout: 60_000 });
      await page.getByRole('button', { name: /^retained/ }).click();
    },
  },
  { name: 'heap-growth', subject: subjects.heaps, hash: '#/heap?show=difference' },
  { name: 'ranks', subject: subjects.ranks, hash: '#/ranks' },
  {
    name: 'compare',
    subject: subjects.twoLenets,
    hash: '#/compare?align=first-iteration',
    act: (page) => row(page, 'runs', /lenet-leak/).waitFor(),
  },
  { name: 'compare-traces', subject: subjects.twoTrainings, hash: '#/compare' },
  {
    name: 'sweep',
    subject: subjects.batches,
    hash: '#/compare?align=iteration',
    act: (page) => row(page, 'combinations', /ok/).waitFor(),
  },
  { name: 'dark', subject: subjects.lenet, hash: '#/overview', dark: true },
];

const everyPage = process.argv[2] === '--all';
const asked = everyPage ? [] : process.argv.slice(2);
const unknown = asked.find((name) => !SHOTS.some((shot) => shot.name === name));
if (unknown) throw new Error(`no page '${unknown}': ${SHOTS.map(({ name }) => name).join(', ')}`);
const wanted = SHOTS.filter(({ name }) => asked.length === 0 || asked.includes(name));
const scratch = mkdtempSync(join(tmpdir(), 'highwater-shots-'));
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
let failed = 0;
try {
  if (everyPage) failed = await shootEverything(browser, process.argv[3], process.argv.slice(4));
  else mkdirSync(OUT, { recursive: true });
  for (const subject of everyPage ? [] : new Set(wanted.map((shot) => shot.subject))) {
    const shots = wanted.filter((shot) => shot.subject === subject);
    try {
      await shootAll(browser, subject, shots);
    } catch (error) {
      failed++;
      console.error(`${shots.map(({ name }) => name).join(', ')}: ${error}`);
    }
  }
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

/** Every subject's every page; how many subjects failed. */
async function shootEverything(
  browser: Browser,
  out: string | undefined,
  names: readonly string[],
): Promise<number> {
  if (!out) throw new Error('--all needs a folder');
  mkdirSync(out, { recursive: true });
  let failed = 0;
  for (const [name, subject] of Object.entries(subjects)) {
    if (names.length > 0 && !names.includes(name)) continue;
    try {
      await serving(subject, (url) => shootPages(browser, url, name, out));
    } catch (error) {
      failed++;
      console.error(`${name}: ${error}`);
    }
  }
  return failed;
}

async function shootAll(
  browser: Browser,
  subject: subjects.Subject,
  shots: readonly Shot[],
): Promise<void> {
  await serving(subject, async (url) => {
    for (const shot of shots) await shoot(browser, url, shot);
  });
}

async function serving(
  subject: subjects.Subject,
  look: (url: string) => Promise<void>,
): Promise<void> {
  const inputs = subject(mkdtempSync(join(scratch, 'of-')));
  const server = spawn(process.execPath, ['dist/cli.js', 'view', '--no-open', ...inputs], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const url = await new Promise<string>((resolve, reject) => {
      server.stdout.once('data', (text: Buffer) => resolve(String(text).trim()));
      server.once('exit', (code) => reject(new Error(`view ended with ${code}`)));
    });
    await look(url);
  } finally {
    server.kill('SIGTERM');
  }
}

async function shoot(browser: Browser, url: string, shot: Shot): Promise<void> {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    colorScheme: shot.dark ? 'dark' : 'light',
  });
  page.on('pageerror', (error) => console.error(`${shot.name}: ${error}`));
  await page.goto(url);
  await page.locator('nav a').first().waitFor({ timeout: 60_000 });
  await page.evaluate(`location.assign(${JSON.stringify(shot.hash)})`);
  const id = /^#\/([\w-]+)/.exec(shot.hash)![1];
  await page.locator(`main.page-${id}`).waitFor();
  await shot.act?.(page);
  await settled(page);
  await page.screenshot({ path: join(OUT, `view-${shot.name}.png`) });
  console.log(join(OUT, `view-${shot.name}.png`));
  await page.close();
}

async function shootPages(browser: Browser, url: string, name: string, out: string): Promise<void> {
  for (const { mode, width, dark, print } of MODES) {
    const page = await browser.newPage({
      viewport: { width, height: 800 },
      colorScheme: dark ? 'dark' : 'light',
    });
    page.on('pageerror', (error) => console.error(`${name}: ${error}`));
    await page.goto(url);
    const tabs = page.locator('nav a');
    await tabs.first().waitFor({ timeout: 60_000 });
    await settled(page);
    for (let tab = 0; tab < (await tabs.count()); tab++) {
      await tabs.nth(tab).click();
      await settled(page);
      if (print) await page.emulateMedia({ media: 'print' });
      const title = (await tabs.nth(tab).textContent())!.toLowerCase().replaceAll(' ', '-');
      const path = join(out, `${name}-${title}-${mode}.png`);
      await page.screenshot({ path, fullPage: true });
      if (print) await page.emulateMedia({ media: null });
      console.log(path);
    }
    await page.close();
  }
}

async function settled(page: Page): Promise<void> {
  const busy = page.locator('progress, [aria-busy=true]');
  while ((await busy.count()) > 0) await page.waitForTimeout(100);
  await page.waitForTimeout(SETTLE_MS);
  await page.mouse.move(0, 0);
}
