import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unpack } from '../../src/model/disk/unpack.ts';
import { SCORING, TUNING } from '../base/secrets/sets.ts';
import { highwater, place, recorded } from '../support/recorder.ts';

const ALL = [...TUNING, ...SCORING];
const TEXTS = ALL.filter(({ said }) => typeof said === 'string');
/** Behind another program's words, a password of mysql's is one more word; those have a test of their own. */
const ARGVS = ALL.filter(
  ({ said, secret }) =>
    typeof said !== 'string' &&
    /^(python|app|train|run|env|node)$/.test(said[0]!) &&
    /\d/.test(secret),
);

/** Says everything in every way that a program can, and starts children with secrets among their words. */
const TALKER = `
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
const { texts, argvs } = JSON.parse(readFileSync(process.env.PLANTED));
const socket = connect(process.env.HIGHWATER_SOCKET);
const time = () => Number(process.hrtime.bigint());
const say = (message) => socket.write(JSON.stringify({ time: time(), ...message }) + '\\n');
say({ type: 'hello', version: 1, pid: process.pid, language: 'test', rank: null, program: texts[0], host: texts[1], job: texts[2] });
texts.forEach((text, i) => {
  say({ type: 'mark', kind: i % 2 ? 'note' : 'phase', name: text });
  say({ type: 'mark', kind: 'note', name: 'x'.repeat(990) + ' ' + text });
  say({ type: 'tensors', rows: [[text, text, text, text, text, 1, 1]] });
  say({ type: 'objects', rows: [[text, text, text, text, 1, 1, 1, 1]] });
  say({ type: 'layers', iteration: i, epoch: 0, rows: [[text, 'weight', i]] });
  say({ type: 'counters', values: { [text]: i } });
  say({ type: 'sizes', at: text, value: { text, [text]: [text], password: 'planted-in-sizes' } });
  console.log('noted ' + text.replaceAll('\\n', ' '));
  console.error('noted ' + text.replaceAll('\\n', ' '));
});
for (let i = 0; i < 20; i++) say({ type: 'warning', text: texts[i * 4] });
const children = argvs.map((argv) =>
  spawn('/bin/sh', ['-c', 'sleep 1; exit', ...argv], { stdio: 'ignore' }));
await Promise.all(children.map((child) => new Promise((done) => child.once('exit', done))));
socket.end();
`;

function* filesOf(folder: string): Generator<Buffer> {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (statSync(path).isFile()) yield readFileSync(path);
  }
}

const found = (files: Iterable<Uint8Array>, secrets: readonly string[]) => {
  const whole = Buffer.concat([...files]);
  return secrets.filter((secret) => whole.includes(secret));
};

describe('a recording of a program that says secrets everywhere', () => {
  it('has none of them, nor has its redacted pack', async () => {
    const script = place('talker.mjs');
    const planted = place('planted.json');
    writeFileSync(script, TALKER);
    const said = { texts: TEXTS.map((one) => one.said), argvs: ARGVS.map((one) => one.said) };
    writeFileSync(planted, JSON.stringify(said));
    const own = ARGVS.flatMap(({ said }) => said.slice(1));
    const { code, folder, stderr } = await recorded(
      ['--mark', 'noted (?<name>.*)', '--sizes', 'exit', '--name', String(SCORING.at(-18)!.secret)],
      [process.execPath, script, ...own],
      { env: { PLANTED: planted } },
    );
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('    at ')]);
    // Short words that also stand elsewhere are looked for in the tests of their own.
    const secrets = [...TEXTS, ...ARGVS, { secret: 'planted-in-sizes' }]
      .map(({ secret }) => secret)
      .filter((secret) => secret.length > 6);
    expect(secrets.length).toBeGreaterThan(150);
    expect(found(filesOf(folder), secrets)).toEqual([]);
    const pack = place('run.hwz');
    expect((await highwater(['pack', '--redact', folder, '-o', pack])).code).toBe(0);
    const members = unpack(pack, readFileSync(pack));
    const bytes = members.list().map((name) => members.read(name)!);
    expect(bytes.length).toBeGreaterThan(8);
    expect(found([...bytes, readFileSync(pack)], secrets)).toEqual([]);
  });

  it('a sweep does not make file names of secrets', async () => {
    const flags = ['--param', 'token=abcdef123,ghijkl456', '-o', place('sweep')];
    const { code, stderr } = await highwater(['sweep', ...flags, '--', 'true', '{token}']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('look like secrets')]);
  });
});
