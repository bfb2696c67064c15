import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { behindLaunchers } from '../../src/record/agents/exec-launchers.ts';
import { nodeCommand } from '../../src/record/agents/node-command.ts';
import { tempFolder } from '../support/files.ts';

const NODE = process.execPath;
const PATH = `${dirname(NODE)}:/usr/bin:/bin`;
const allowed = (...argv: string[]) => nodeCommand(argv, { PATH })?.ok ?? null;

function script(name: string, text: string): string {
  const file = join(tempFolder(), name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

describe('whether a command lets the Node agent in', () => {
  it('does where it is Node, or a script of Node', () => {
    expect(allowed('node', 'x.js')).toBe(true);
    expect(allowed(NODE, '-e', '0')).toBe(true);
    expect(allowed(script('tool', '#!/usr/bin/env node\n0'))).toBe(true);
    expect(allowed(script('tool', '#!/usr/bin/env -S node --no-warnings\n0'))).toBe(true);
  });

  it('does behind launchers that leave the environment alone', () => {
    const lines = [
      ['env', '-u', 'B', 'A=1', 'node', 'x.js'],
      ['timeout', '-k', '5', '10', 'node', 'x.js'],
      ['nice', '-n', '5', 'nohup', 'stdbuf', '-oL', 'node'],
      ['taskset', '-c', '0', 'node'],
      ['setsid', '-w', 'node'],
    ];
    for (const argv of lines) expect(allowed(...argv), argv.join(' ')).toBe(true);
  });

  it('does not where Node would refuse, nor where the environment is another', () => {
    expect(allowed('node', '--permission', 'x.js')).toBe(false);
    expect(allowed('node', '--experimental-permission', '--allow-fs-read=/a', 'x.js')).toBe(false);
    expect(allowed('node', '--build-snapshot', 'x.js')).toBe(false);
    expect(nodeCommand(['node'], { PATH, NODE_OPTIONS: '--permission' })).toMatchObject({
      ok: false,
    });
    expect(behindLaunchers(['env', '-i', 'node'])).toBeNull();
    expect(behindLaunchers(['env', 'NODE_OPTIONS=', 'node'])).toBeNull();
  });

  it('does not where it is another program, an old Node, or none', () => {
    expect(allowed('sh', '-c', 'node x.js')).toBeNull();
    expect(allowed('no-such-command')).toBeNull();
    expect(allowed()).toBeNull();
    expect(allowed(script('node', '#!/bin/sh\necho v16.20.0\n'))).toBe(false);
    expect(allowed(script('node', '#!/bin/sh\nexit 3\n'))).toBe(false);
  });
});
