import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harmless, printable } from '../../src/base/text.ts';
import { tempFolder } from '../support/files.ts';
import { highwater, place, recorded } from '../support/recorder.ts';

/** A title for the window, a cleared screen, an 8-bit sequence, a turned direction, a bell. */
const EVIL = 'a\x1b]0;title\x07b\x1b[2Jc\x9b31md\u202ee\u2066f\rg';
const DANGEROUS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const TALKER = `
import { connect } from 'node:net';
const evil = ${JSON.stringify(EVIL)};
const socket = connect(process.env.HIGHWATER_SOCKET);
const time = Number(process.hrtime.bigint());
const say = (message) => socket.write(JSON.stringify({ time, ...message }) + '\\n');
say({ type: 'hello', version: 1, pid: process.pid, language: evil, rank: null, program: evil, host: evil });
say({ type: 'warning', text: evil });
say({ type: evil });
for (const kind of ['note', 'phase']) say({ type: 'mark', kind, name: evil });
say({ type: 'tensors', rows: [[evil, evil, evil, evil, evil, 1, 1e9]] });
say({ type: 'layers', iteration: 1, epoch: 0, rows: [[evil, 'weight', 1e9]] });
process.title = evil;
setTimeout(() => socket.end(), 300);
`;

describe('nothing that a program or a file says steers a terminal', () => {
  it('while it is recorded, and when it is shown', async () => {
    const script = place('talker.mjs');
    writeFileSync(script, TALKER);
    const { code, folder, stderr } = await recorded([], [process.execPath, script, EVIL]);
    expect(code).toBe(0);
    expect(stderr).toContain('agent in process');
    expect(stderr).not.toMatch(DANGEROUS);
    const named = join(tempFolder(), `x${EVIL}.hw`);
    renameSync(folder, named);
    const shown = [
      ['report', named],
      ['report', named, '--json'],
      ['report', named, '--markdown'],
      ['compare', named, named],
      ['pack', named, '-o', join(tempFolder(), `${EVIL}.hwz`)],
      ['report', `${named}-not-there`],
      ['export', named, '--to', EVIL],
      ['report', `--${EVIL}`],
      [EVIL],
    ];
    for (const argv of shown) {
      const said = await highwater(argv);
      expect(String(said.stdout) + said.stderr, argv[0]).not.toMatch(DANGEROUS);
      expect(said.stderr).not.toMatch(/^ {4}at /m);
    }
  });

  it('but lines, tabs and our own bold stay', () => {
    expect(harmless('\x1b[1mA\x1b[0m\tb\n\x1b[31mc')).toBe('\x1b[1mA\x1b[0m\tb\n·[31mc');
    expect(printable(`a\nb${EVIL}`)).not.toMatch(DANGEROUS);
  });
});
