import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BrowserServer, chromium, type Page } from 'playwright-core';
import { highwater } from './recorders.ts';

const PROGRAM = process.env.HIGHWATER_CHROMIUM ?? '/usr/bin/chromium';
/** Software rendering, as on a machine without a graphics card. */
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

export interface OpenPage {
  readonly page: Page;
  /** From the start of `highwater view` to the first picture of the map in which every allocation is drawn. */
  readonly seconds: number;
  /** Of the server and the page's renderer together, in bytes. */
  pss(): number;
}

/** Starts `highwater view` on a file and opens its map in a browser that runs already. */
export function withMap<T>(file: string, use: (open: OpenPage) => Promise<T>): Promise<T> {
  return withBrowser(async (page, browser) => {
    await page.addInitScript({ path: fileURLToPath(new URL('web-gestures.mjs', import.meta.url)) });
    const began = performance.now();
    return withServer(file, async (address, server) => {
      await page.goto(`${address}#/map`);
      await page.locator('.map-canvas[data-sharp]').waitFor();
      const seconds = (performance.now() - began) / 1000;
      return use({ page, seconds, pss: () => pssOf([server.pid!, rendererOf(browser)]) });
    });
  });
}

/**
 * Milliseconds to the first paint of what a server shows of a file, and of a page of its own with nothing on it; in turn, so many times.
 * A paint of the file is one with its headline: an empty frame, or the word that it is awaited, is none.
 */
export function firstPaints(file: string, times: number): Promise<[number, number][]> {
  return withBrowser((page) =>
    withServer(file, async (address) => {
      // The first visit sets the cookie, and has the server read the recording.
      await page.goto(address);
      await page.locator('h1.headline').waitFor();
      const pairs: [number, number][] = [];
      for (let i = 0; i < times; i++) {
        pairs.push([
          await painted(page, address, HEADLINE),
          await painted(page, `${base(address)}/empty`, FIRST_PAINT),
        ]);
      }
      return pairs;
    }),
  );
}

const base = (address: string) => new URL(address).origin;

/** The element that the page marks for it (`elementtiming`). */
const HEADLINE = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries()[0].renderTime))
    .observe({ type: 'element', buffered: true });
})`;
const FIRST_PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntriesByName('first-paint')[0].startTime))
    .observe({ type: 'paint', buffered: true });
})`;

async function painted(page: Page, url: string, paint: string): Promise<number> {
  await page.goto(url);
  return page.evaluate<number>(paint);
}

/** Opens a file in the static viewer; the most that its renderer had, and how long it took to the headline. */
export function inViewer(file: string): Promise<{ seconds: number; pss: number }> {
  const viewer = new URL('../dist/highwater-viewer.html', import.meta.url).href;
  return withBrowser(async (page, browser) => {
    await page.goto(viewer);
    const renderer = rendererOf(browser);
    let pss = 0;
    const look = () => {
      pss = Math.max(pss, pssOf([renderer]));
    };
    const timer = setInterval(look, 100);
    const began = performance.now();
    await page.setInputFiles('input[type=file]', file);
    await page.locator('h1.headline').waitFor();
    const seconds = (performance.now() - began) / 1000;
    await page.goto(`${viewer}#/map`);
    await page.locator('.map-canvas[data-sharp]').waitFor();
    clearInterval(timer);
    look();
    return { seconds, pss };
  });
}

async function withBrowser<T>(use: (page: Page, browser: BrowserServer) => Promise<T>): Promise<T> {
  const browserServer = await chromium.launchServer({ executablePath: PROGRAM, args: ARGS });
  const browser = await chromium.connect(browserServer.wsEndpoint());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(180_000);
  try {
    return await use(page, browserServer);
  } finally {
    await browser.close();
    await browserServer.close();
  }
}

async function withServer<T>(
  file: string,
  use: (address: string, server: ChildProcess) => Promise<T>,
): Promise<T> {
  const [program, ...words] = highwater('view', file, '--no-open');
  const server = spawn(program!, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    return await use(await addressOf(server), server);
  } finally {
    server.kill('SIGINT');
  }
}

function addressOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    server.stdout!.once('data', (text: Buffer) => resolve(String(text).trim()));
    server.once('exit', (code) => reject(new Error(`highwater view ended with ${code}`)));
  });
}

/** The largest renderer among the browser's processes: the others are empty. */
function rendererOf(browser: BrowserServer): number {
  const renderers = descendants(browser.process().pid!).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer'),
  );
  return renderers.sort((a, b) => pssOf([b]) - pssOf([a]))[0]!;
}

function descendants(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {} // it has ended meanwhile
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

function pssOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return sum + 1024 * Number(/^Pss:\s+(\d+)/m.exec(text)![1]);
  }, 0);
}
