import { basename, relative, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { UserError } from '../../src/base/errors.ts';
import { isAgentFile } from '../../src/open/agent-files.ts';
import { locate } from '../../src/open/locate.ts';
import { openWithTraces } from '../../src/open/open.ts';
import { inBrowser, lackOfBrowser } from '../support/chromium.ts';
import { where } from '../support/programs.ts';
import { SHARED, whereShared } from '../support/shared.ts';
import { answerInBrowser, filesIn, openViewer } from './viewer-files.ts';

/** What differs is where a file lies. */
function withoutPlace(report: unknown, path: string): unknown {
  const text = JSON.stringify(report).replaceAll(path, basename(path));
  return JSON.parse(text);
}

/** What `highwater report --json` prints; null of a file that is no recording: a text, a log of a crash alone, a heap. */
async function reportHere(path: string): Promise<unknown> {
  try {
    const { recording, snapshots, rankTraces } = await openWithTraces(locate(path));
    return JSON.parse(JSON.stringify(report(recording, snapshots, rankTraces)));
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

async function expectTheSame(folder: string): Promise<number> {
  const { page, errors } = await openViewer();
  let compared = 0;
  for (const path of filesIn(folder)) {
    const told = isAgentFile(path) ? null : await reportHere(path);
    if (told === null) continue;
    const { json, error } = await answerInBrowser(page, path, 'report');
    expect(error, relative(folder, path)).toBeUndefined();
    expect(withoutPlace(json, path), relative(folder, path)).toEqual(withoutPlace(told, path));
    compared++;
  }
  expect(errors).toEqual([]);
  return compared;
}

describe('the viewer without a server', () => {
  inBrowser(
    'says of every fixture what the command line says',
    async () => {
      expect(await expectTheSame(resolve('test/fixtures'))).toBeGreaterThan(80);
    },
    600_000,
  );

  const shared = lackOfBrowser ? where(lackOfBrowser) : whereShared('torch-snapshots');
  shared(
    'says of all shared data what the command line says',
    async () => {
      expect(await expectTheSame(SHARED)).toBeGreaterThan(25);
    },
    600_000,
  );
});
