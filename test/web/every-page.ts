import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { python } from '../support/programs.ts';
import { place, recorded } from '../support/recorder.ts';

const fixture = (path: string) => resolve('test/fixtures', path);

/** Inputs that have every page among them, by name; those that are no file are made when they are asked for. */
export const SUBJECTS: Readonly<Record<string, () => Promise<string[]> | string[]>> = {
  // Overview, timeline and layers of a run of the project's own format.
  recording: () => [fixture('recordings/v4.hw')],
  training: () => [fixture('docs/train.hwz')],
  killed: () => [fixture('docs/killed.hwz')],
  // The map, the flame graph, segments and what would be if.
  trace: () => [fixture('snapshots/training/gpt_adam_allstacks.pickle.gz')],
  'trace that ran out': () => [fixture('snapshots/training/gpt_oom.pickle.gz')],
  'two runs': () => [fixture('docs/train.hwz'), fixture('docs/leak.hwz')],
  'two traces': () => [
    fixture('snapshots/training/mlp_sgd.pickle.gz'),
    fixture('snapshots/training/mlp_adagrad.pickle.gz'),
  ],
  card: () => [fixture('formats/nvidia-smi/h200')],
  heap: () => {
    const [program, heap] = [place('heap.cjs'), place('one.heapsnapshot')];
    writeFileSync(program, "require('node:v8').writeHeapSnapshot(process.argv[2]);");
    spawnSync(process.execPath, [program, heap]);
    return [heap];
  },
  ranks: async () => {
    const script = place('ranks.py');
    writeFileSync(script, RANKS);
    return [(await recorded(['--before', '0', '--after', '0'], [python(), script])).folder];
  },
};

const RANKS = `
import os, subprocess, sys, time
if "RANK" in os.environ:
    kept = bytearray(b"x") * ((90 if os.environ["RANK"] == "1" else 10) << 20)
    time.sleep(0.6)
else:
    ranks = [
        subprocess.Popen([sys.executable, __file__], env={**os.environ, "RANK": str(r), "WORLD_SIZE": "3"})
        for r in range(3)
    ]
    sys.exit(max(r.wait() for r in ranks))
`;

/** Looks at each page in turn, once it has all that it shows. */
export async function eachPage(page: Page, look: (title: string) => Promise<void>): Promise<void> {
  const tabs = page.locator('nav a');
  await settled(page);
  const titles = await tabs.allTextContents();
  for (const [i, title] of titles.entries()) {
    await tabs.nth(i).click();
    await settled(page);
    await look(title);
  }
}

/** Nothing is awaited any more, and what came is drawn. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main .scene, main canvas, main table, main svg, main p').first().waitFor();
  const busy = page.locator('main progress, .inputs progress, [aria-busy=true]');
  await expect.poll(() => busy.count(), { timeout: 30_000 }).toBe(0);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))');
}
