import { execFileSync } from 'node:child_process';
import { describe, expect } from 'vitest';
import { needs } from '../support/programs.ts';
import { cleanEnv, place } from '../support/recorder.ts';
import { libraryHome } from './library.ts';

describe('docs/library.md', () => {
  needs('python3')('has an example that runs as it stands', () => {
    const home = libraryHome(place('home'));
    const printed = execFileSync(process.execPath, ['example.mjs'], {
      cwd: home,
      env: cleanEnv(),
      encoding: 'utf8',
      stdio: 'pipe',
    });
    expect(printed).toMatch(/^highwater-runs\/train-\S+\.hw: exit code 0$/m);
    expect(printed).toMatch(/^tree\.rss \d{8,}$/m);
    expect(printed).toMatch(/^\d+ marks$/m);
    expect(printed).toMatch(/^there is no file or folder nowhere\.hw/m);
  });
});
