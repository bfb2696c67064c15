import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAgentLines } from '../../src/sources/agent/agent-lines.ts';
import { sweepDeadSockets } from '../../src/sources/agent/dead-sockets.ts';
import { parseMessage } from '../../src/sources/agent/protocol.ts';
import { tempFolder } from '../support/files.ts';
import { highwater, place, recorded, start } from '../support/recorder.ts';
import { shell } from '../support/shell.ts';

const hello = { type: 'hello', version: 1, pid: 7, time: 1, wall: 1.7e18 };

describe('times that cannot be', () => {
  it('are no messages, and no internal error', () => {
    for (const change of [{ wall: 1e300 }, { wall: -1 }, { time: 1e300 }]) {
      const line = JSON.stringify({ ...hello, ...change });
      expect(parseMessage(line)).toEqual({ wrong: 'a time that cannot be' });
      expect(() => readAgentLines('x', [{ name: 'x', lines: [line] }])).toThrow('no agent');
    }
    const mark = '{"type":"mark","time":1e300,"kind":"note","name":"a"}';
    const found = readAgentLines('x', [{ name: 'x', lines: [JSON.stringify(hello), mark] }]);
    expect(found.run.warnings.join()).toContain('1 line unreadable');
  });

  it('in a file: one line, exit 2', async () => {
    const file = place('agent-7.ndjson');
    writeFileSync(file, '{"type":"hello","version":1,"pid":7,"time":1,"wall":1e300}\n');
    const { code, stderr } = await highwater(['report', file]);
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('Invalid time value')]);
  });
});

describe('secrets in lines that were written without a recorder', () => {
  it('are in nothing that is read of them', async () => {
    const folder = place('job');
    mkdirSync(folder);
    const said = 'login with api_key=S3cretS3cretS3cret';
    const lines = [
      hello,
      { type: 'mark', time: 2e9, kind: 'note', name: said },
      { type: 'warning', text: said },
      { type: 'counters', time: 2e9, values: { 'process.rss': 5e7 } },
    ];
    writeFileSync(
      join(folder, 'a.ndjson'),
      lines.map((one) => `${JSON.stringify(one)}\n`).join(''),
    );
    for (const verb of [['report'], ['export', '--to', 'json'], ['report', '--json']]) {
      const { stdout, stderr } = await highwater([...verb, folder]);
      expect(`${stdout}`).toContain('login with api_key=***');
      expect(`${stdout}${stderr}`).not.toContain('S3cret');
    }
  });
});

describe('garbage on the socket', () => {
  it('costs the connection, and is counted', async () => {
    const script = place('noise.mjs');
    writeFileSync(
      script,
      `import { connect } from 'node:net';
      const socket = connect(process.env.HIGHWATER_SOCKET);
      socket.on('error', () => {});
      const timer = setInterval(() => socket.write('nonsense\\n'.repeat(50)), 5);
      socket.on('close', () => { clearInterval(timer); process.exit(9); });
      setTimeout(() => process.exit(3), 20_000);`,
    );
    const { code, run } = await recorded([], [process.execPath, script]);
    expect(code).toBe(9);
    expect(run.warnings.join()).toContain('is cut off: 20 lines of it were unreadable');
  });
});

describe('folders of sockets', () => {
  const old = new Date(Date.now() - 3600_000);
  const folderIn = (at: string) => mkdtempSync(join(at, 'hw-'));

  it('go when nobody listens any more, and only then', async () => {
    const at = tempFolder();
    const living = folderIn(at);
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(living, 's'), done));
    const [empty, young, open, other] = [folderIn(at), folderIn(at), folderIn(at), folderIn(at)];
    chmodSync(open, 0o755);
    mkdirSync(join(other, 'mine'));
    for (const folder of [living, empty, open, other]) utimesSync(folder, old, old);
    await sweepDeadSockets(at);
    const left = [living, empty, young, open, other].map((folder) => existsSync(folder));
    expect(left).toEqual([true, false, true, true, true]);
    server.close();
  });

  it('of a recorder that was killed go at the next start', async () => {
    const TMPDIR = mkdtempSync(join(tmpdir(), 'hwt-'));
    const said = place('path');
    const flags = ['record', '-q', '-o', place(), '--'];
    const program = `echo "$HIGHWATER_SOCKET" > ${said}.new; mv ${said}.new ${said}; sleep 2`;
    const { child, finished } = start([...flags, 'sh', '-c', program], { env: { TMPDIR } });
    await expect.poll(() => existsSync(said)).toBe(true);
    child.kill('SIGKILL');
    await finished;
    const folder = join(readFileSync(said, 'utf8').trim(), '..');
    expect(existsSync(folder)).toBe(true);
    utimesSync(folder, old, old);
    await recorded([], ['sleep', '0.3'], { env: { TMPDIR } });
    expect(existsSync(folder)).toBe(false);
  });
});

describe('where the temporary folder cannot be written', () => {
  it('agents speak at another place, and are heard', async () => {
    const TMPDIR = '/proc';
    const words = ['sh', '-c', 'echo "$HIGHWATER_SOCKET"; exec sleep 0.3'];
    const { stdout, run } = await recorded([], words, { env: { TMPDIR } });
    expect(String(stdout)).toMatch(/\/hw-\w{6}\/s\n$/);
    expect(run.warnings.filter((text) => /socket/.test(text))).toEqual([]);
  });
});

describe('with hardly any files', () => {
  it('a command runs all the same, and one line says why it is not recorded', () => {
    const few = (...argv: string[]) =>
      spawnSync('sh', ['-c', `ulimit -n 20; ${shell(...argv)}`], { encoding: 'utf8' });
    const ran = few('record', '-o', place(), '--', 'sh', '-c', 'echo ran; exit 7');
    expect([ran.status, ran.stdout]).toEqual([7, 'ran\n']);
    expect(ran.stderr).toMatch(/^highwater: at most 20 files may be open here.*\n$/);
    const report = few('report', 'x');
    expect([report.status, report.stderr.split('\n').length]).toEqual([1, 2]);
  });
});
