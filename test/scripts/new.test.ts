import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { place } from '../support/recorder.ts';

const KINDS = ['format', 'source', 'analysis', 'page', 'verb'] as const;
const COPIED = ['src', 'test', 'scripts', 'docs', 'package.json', 'biome.json', 'vitest.config.ts'];

/** `npm run new` in a copy of the project, once for all of these tests. */
describe('npm run new', () => {
  const made = new Map<string, string>();
  let root = '';
  const bin = (name: string) => resolve('node_modules/.bin', name);
  const inCopy = (command: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(bin(command), args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, VITEST: undefined, HIGHWATER_NO_SKIP: undefined },
    });
    return { status, said: `${stdout}${stderr}` };
  };

  beforeAll(() => {
    root = place('project');
    for (const path of [...COPIED, 'tsconfig.json', 'tsconfig.types.json', 'bench', 'examples']) {
      cpSync(path, join(root, path), { recursive: true });
    }
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    for (const kind of KINDS) {
      const { status, said } = inCopy('tsx', 'scripts/new.ts', kind, `tried-${kind}`);
      expect(status, said).toBe(0);
      made.set(kind, said);
    }
    return () => rmSync(root, { recursive: true });
  });

  it('makes what types and the direction of imports accept', () => {
    for (const [command, ...args] of [
      ['tsc', '--noEmit'],
      ['tsc', '--noEmit', '-p', 'src/web'],
      ['tsx', 'scripts/check-imports.ts'],
    ] as const) {
      const { status, said } = inCopy(command, ...args);
      expect(status, said).toBe(0);
    }
  });

  it.each(KINDS)('%s: names at most three files that were there, and a test', (kind) => {
    const said = made.get(kind)!;
    const changed = [...said.matchAll(/^changed {2}(\S+)$/gm)].map(([, file]) => file!);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThanOrEqual(3);
    for (const file of changed) {
      expect(readFileSync(join(root, file), 'utf8')).toMatch(
        /tried-?(format|source|analysis|page|verb)/i,
      );
    }
    expect(said).toMatch(/npm test -- test\/\S+\.test\.ts/);
  });

  it('writes tests that fail until the thing is written', () => {
    // The page's asks a server of the built package, which has no such page.
    const files = KINDS.filter((kind) => kind !== 'page').map(
      (kind) => /npm test -- (\S+)/.exec(made.get(kind)!)![1]!,
    );
    const { status, said } = inCopy('vitest', 'run', '--reporter=json', ...files);
    expect(status).not.toBe(0);
    const json = said.split('\n').find((line) => line.startsWith('{"num'))!;
    expect(JSON.parse(json), said).toMatchObject({ numTotalTests: 4, numFailedTests: 4 });
  });

  it('refuses what is there already, and what is no name', () => {
    const again = inCopy('tsx', 'scripts/new.ts', 'format', 'tried-format');
    expect(again).toMatchObject({ status: 2, said: expect.stringContaining('is there already') });
    for (const words of [[], ['format'], ['format', '../x'], ['kind', 'x']]) {
      expect(inCopy('tsx', 'scripts/new.ts', ...words)).toMatchObject({
        status: 2,
        said: expect.stringContaining('usage: npm run new -- format|'),
      });
    }
  });
});
