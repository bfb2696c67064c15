import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll } from 'vitest';

/** Where to, of a run that counts lines (scripts/coverage.ts); undefined in all others. */
const FOLDER = process.env.HIGHWATER_COVERAGE;

interface Script {
  readonly url: string;
  readonly functions: readonly unknown[];
  /** The text that the source map is of. */
  readonly text: string;
  readonly map: unknown;
}

let written = 0;
/** Writes what ran in the form of Node's own files, which lack what vitest and a browser load. */
function keep(scripts: readonly Script[]): void {
  const maps = scripts.map(({ url, text, map }) => {
    const lineLengths = text.split('\n').map((line) => line.length);
    return [url, { lineLengths, data: map }] as const;
  });
  const result = scripts.map(({ url, functions }) => ({ url, functions }));
  const name = `tests-${process.pid}-${Date.now()}-${++written}.json`;
  const text = JSON.stringify({ result, 'source-map-cache': Object.fromEntries(maps) });
  writeFileSync(join(FOLDER!, name), text);
}

/** The modules that tests import. Vitest ends its processes before Node would write of them. */
async function ownModules(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  afterAll(async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const from = `${pathToFileURL('src').href}/`;
    await session.post('Debugger.enable');
    const scripts: Script[] = [];
    for (const { scriptId, url, functions } of result) {
      if (!url.startsWith(from)) continue;
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
      const [, map] =
        /sourceMappingURL=data:application\/json;[^,]*base64,(\S+)/.exec(scriptSource) ?? [];
      if (!map) continue;
      // Vitest wraps a module into a function; the map is of what is inside.
      const wrapped = scriptSource.indexOf('{{') + 2;
      scripts.push({
        url,
        functions: functions.map(({ ranges }) => ({
          ranges: ranges.map(({ startOffset, endOffset, count }) => ({
            startOffset: startOffset - wrapped,
            endOffset: endOffset - wrapped,
            count,
          })),
        })),
        text: scriptSource.slice(wrapped),
        map: JSON.parse(Buffer.from(map, 'base64').toString()),
      });
    }
    session.disconnect();
    keep(scripts);
  });
}

/** The page's script: what ran of it is asked for before the page closes. */
export async function countLines(page: Page): Promise<void> {
  if (!FOLDER) return;
  await page.coverage.startJSCoverage({ resetOnNavigation: false });
  const close = page.close.bind(page);
  page.close = async (options) => {
    const entries = await page.coverage.stopJSCoverage().catch(() => []);
    const app = readFileSync('dist/web/app.js', 'utf8');
    const map = JSON.parse(readFileSync('dist/web/app.js.map', 'utf8'));
    const url = pathToFileURL('dist/web/app.js').href;
    const own = entries.filter(({ source }) => source === app);
    for (const { functions } of own) keep([{ url, functions, text: app, map }]);
    await close(options);
  };
}

if (FOLDER) await ownModules();
