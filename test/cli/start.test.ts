import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { CLI, place } from '../support/recorder.ts';

/** Prints the address of every module that is loaded. */
const HOOK = `
import { register } from 'node:module';
register('data:text/javascript,' + encodeURIComponent(
  "import { writeSync } from 'node:fs';" +
  "export async function load(url, context, next) { writeSync(2, url + '\\\\n'); return next(url, context); }"
));
`;

function loaded(...argv: string[]): string[] {
  const hook = place('hook.mjs');
  writeFileSync(hook, HOOK);
  const run = spawnSync(process.execPath, ['--import', hook, CLI, ...argv], { encoding: 'utf8' });
  expect(run.status).toBe(0);
  return run.stderr
    .split('\n')
    .filter((url) => url.startsWith('file:') && !url.endsWith('hook.mjs'))
    .map((url) => basename(url));
}

it('--version loads the front door and next to nothing else', () => {
  const names = loaded('--version');
  expect(names[0]).toBe('cli.js');
  const bytes = names.map((name) => readFileSync(join(dirname(CLI), name)).length);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000);
  for (const name of names) expect(name).not.toMatch(/record|report|plot|koffi|resvg|arrow|d3/);
});

it('record loads neither charts nor picture libraries', () => {
  const names = loaded('record', '-q', '--duration', '0.01', '-o', place());
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) expect(name).not.toMatch(/^(plot|resvg|png)/);
});

it('no verb loads the library of another before it needs it', () => {
  for (const verb of ['report', 'plot', 'export', 'doctor']) {
    expect(loaded(verb, '--help').join()).not.toMatch(/resvg/);
  }
});
