import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MiB } from '../../src/base/bytes.ts';
import { v8Heap } from '../../src/formats/v8-heap/index.ts';
import { fileBytes } from '../../src/model/disk/file-bytes.ts';
import { parseMessage } from '../../src/sources/agent/protocol.ts';
import { tempFolder } from '../support/files.ts';

const AGENT = resolve('dist/node-heap.cjs');

type Message = Record<string, unknown>;

/** A program with the agent in it, and what a recorder would hear and ask. */
async function listening(words: readonly string[]) {
  const folder = tempFolder();
  const path = join(folder, 's');
  const heard: Message[] = [];
  const connections: Socket[] = [];
  const server = createServer((connection) => {
    connections.push(connection);
    createInterface(connection).on('line', (line) => heard.push(JSON.parse(line)));
    connection.on('error', () => {});
  }).listen(path);
  const env = {
    ...process.env,
    HIGHWATER_SOCKET: path,
    NODE_OPTIONS: `--require=${JSON.stringify(AGENT)}`,
  };
  const child = spawn(process.execPath, words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += chunk));
  child.stderr.on('data', (chunk) => (said.stderr += chunk));
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  onTestFinished(() => {
    child.kill('SIGKILL');
    server.close();
  });
  const ask = (options: object) =>
    connections[0]!.write(`${JSON.stringify({ type: 'request', id: 1, what: 'heap', options })}\n`);
  const answer = async () => {
    await expect
      .poll(() => heard.find(({ type }) => type === 'answer'), { timeout: 30_000 })
      .toBeDefined();
    return heard.find(({ type }) => type === 'answer')!;
  };
  await expect.poll(() => heard[0]?.type, { timeout: 20_000 }).toBe('hello');
  return { folder, heard, connections, ask, answer, child, said, ended };
}

/** Earns V8's young generation more room, then says how much it has whenever a line comes. */
const YOUNG = `
import { getHeapSpaceStatistics } from 'node:v8';
class Kept { constructor(i) { this.list = [i]; } }
globalThis.kept = Array.from({ length: 150_000 }, (_, i) => new Kept(i));
const young = () => getHeapSpaceStatistics().find((s) => s.space_name === 'new_space');
console.log('ready');
process.stdin.on('data', () => console.log(young().space_size)).on('end', () => process.exit());
`;

describe('the agent that record --heap lets into Node programs', () => {
  it('writes a heap, says when it begins and ends, and leaves the young generation its room', async () => {
    const program = await listening(['--input-type=module', '-e', YOUNG]);
    // The agent has loaded its own code by then, which V8 collects with the rest.
    await expect.poll(() => program.heard.some(({ type }) => type === 'counters')).toBe(true);
    program.child.stdin.write('\n');
    await expect.poll(() => program.said.stdout).toMatch(/ready\n.+\n/);
    const file = join(program.folder, 'a.heapsnapshot');
    program.ask({ file, heeded: true });
    // Its counters come on a clock of their own, between these.
    const own = () => program.heard.filter(({ type }) => type === 'own');
    await expect.poll(own).toMatchObject([{ begins: true }]);
    // It waits for us.
    expect(readdirSync(program.folder)).toEqual(['s']);
    writeFileSync(`${file}.go`, '');
    expect(await program.answer()).toMatchObject({ value: { file, version: process.version } });
    expect(own().map((one) => parseMessage(JSON.stringify(one)))).toMatchObject([
      { type: 'own', begins: true },
      { type: 'own', begins: false },
    ]);
    // What V8 took to write it down, and malloc keeps.
    expect(Number(own()[1]!.left)).toBeGreaterThan(20 * MiB);
    const { nodes, strings } = await v8Heap.read(fileBytes(file));
    const kept = [...nodes.kind].filter((kind) => strings.text(kind) === 'Kept').length;
    expect(kept).toBeGreaterThanOrEqual(150_000);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    program.child.stdin.end('\n');
    await program.ended;
    const [, before, after] = program.said.stdout.split('\n').map(Number);
    expect(before).toBeGreaterThan(4 * MiB);
    expect(after).toBeGreaterThanOrEqual(before!);
    expect(program.said.stderr).toBe('');
  }, 60_000);

  it('speaks once for a program and its threads, once for each child, and keeps none from ending', async () => {
    const code = `
      const { Worker } = require('node:worker_threads');
      const { fork } = require('node:child_process');
      new Worker('setTimeout(() => console.log("thread"), 200)', { eval: true });
      if (!process.argv.includes('child')) fork(__filename, ['child']);
    `;
    const path = join(tempFolder(), 'parent.cjs');
    writeFileSync(path, code);
    const program = await listening([path]);
    expect(await program.ended).toBe(0);
    await expect.poll(() => program.heard.filter(({ type }) => type === 'hello')).toHaveLength(2);
    expect(program.said.stdout).toBe('thread\nthread\n');
    expect(program.heard[0]).toMatchObject({ language: 'node', answers: ['sizes', 'heap'] });
    expect(program.said.stderr).toBe('');
  }, 30_000);

  it('says why there is no heap, leaves no part of one, and the program goes on', async () => {
    const program = await listening(['-e', 'process.stdin.on("data", () => process.exit(7))']);
    const file = join(program.folder, 'missing', 'a.heapsnapshot');
    program.ask({ file });
    expect((await program.answer()).error).toMatch(/ENOENT/);
    program.heard.length = 0;
    program.ask({});
    expect((await program.answer()).error).toMatch(/no file was named/);
    expect(existsSync(join(program.folder, 'missing'))).toBe(false);
    program.child.stdin.write('\n');
    expect(await program.ended).toBe(7);
    expect(readFileSync(AGENT, 'utf8')).not.toContain('node:inspector');
  }, 30_000);
});
