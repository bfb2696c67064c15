import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { NODE_PROGRAMS, type NodeProgram } from './node-programs.ts';

const AGENT = resolve('dist/node-agent.cjs');

type Message = { readonly type: string; readonly values?: Readonly<Record<string, number>> };

function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(NODE_|HIGHWATER)/.test(name));
  return { ...Object.fromEntries(own), ...more };
}

const withAgent = (socket: string) => ({
  HIGHWATER_SOCKET: socket,
  NODE_OPTIONS: `--require=${JSON.stringify(AGENT)}`,
});

/** How a program ended, and what it printed. */
function ended({ words, stdin, signal }: NodeProgram, more: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, words, { env: environment(more) });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    said.stdout += chunk;
    if (signal) child.kill(signal);
  });
  child.stderr.on('data', (chunk) => (said.stderr += chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(stdin ?? '');
  // Pids stand in warnings, and places in Node's own files differ with nothing of ours.
  const still = (text: string) =>
    text.replace(/\(node:\d+\)/g, '(node)').replace(/duration_ms:? \S+/g, '');
  return new Promise<object>((done) => {
    child.once('close', (code, by) =>
      done({ code, by, stdout: still(said.stdout), stderr: still(said.stderr) }),
    );
  });
}

/** A recorder's end: what it hears. */
async function recorder(): Promise<{ path: string; heard: Message[] }> {
  const path = join(tempFolder(), 's');
  const heard: Message[] = [];
  const server = createServer((connection) => {
    createInterface(connection).on('line', (line) => heard.push(JSON.parse(line)));
    connection.on('error', () => {});
  }).listen(path);
  onTestFinished(() => void server.close());
  return { path, heard };
}

describe('a Node program with the agent in it', () => {
  it.concurrent.each(NODE_PROGRAMS)('$name: prints and ends as without', async (program) => {
    const path = join(tempFolder(), 's');
    const server = createServer((connection) => connection.on('error', () => {}).resume());
    server.listen(path);
    try {
      const before = await ended(program, { HIGHWATER_SOCKET: path });
      expect(await ended(program, withAgent(path))).toEqual(before);
    } finally {
      server.close();
    }
  });

  it('runs without anybody who listens', async () => {
    const program = { name: '', words: ['-e', "setTimeout(() => console.log('ok'), 450)"] };
    expect(await ended(program, withAgent('/nowhere/s'))).toEqual(await ended(program, {}));
  });

  it('leaves the options that the program was given', async () => {
    const env = withAgent('/nowhere/s');
    const NODE_OPTIONS = `${env.NODE_OPTIONS} --max-old-space-size=200`;
    const program = { name: '', words: ['-p', 'process.env.NODE_OPTIONS'] };
    expect(await ended(program, { ...env, NODE_OPTIONS })).toMatchObject({
      stdout: '--max-old-space-size=200\n',
    });
  });

  it('tells what a collection left, of each thread', async () => {
    const { path, heard } = await recorder();
    const text = `
      const { Worker, isMainThread } = require('worker_threads');
      globalThis.kept = Buffer.alloc(30e6, 1);
      globalThis.more = Buffer.alloc(40e6, 1);
      if (isMainThread) new Worker("globalThis.kept = Buffer.alloc(10e6, 1); setTimeout(() => {}, 2500)", { eval: true });
      setTimeout(() => { globalThis.more = null; gc(); }, 1400);
      setTimeout(() => {}, 2900);`;
    await ended({ name: '', words: ['--expose-gc', '-e', text] }, withAgent(path));
    await expect.poll(() => heard.some(({ type }) => type === 'bye')).toBe(true);
    const told = (name: string) => heard.flatMap(({ values }) => values?.[name] ?? []);
    expect(heard[0]).toMatchObject({ type: 'hello', language: 'node', answers: [] });
    expect(told('v8.collections')[0]).toBe(0);
    expect(told('v8.collections').at(-1)).toBeGreaterThanOrEqual(1);
    expect(told('v8.left_external').at(-1)).toBeGreaterThan(30e6);
    expect(told('v8.left_external').at(-1)).toBeLessThan(36e6);
    expect(Math.max(...told('v8.external'))).toBeGreaterThan(70e6);
    expect(told('v8.external.1').at(-1)).toBeGreaterThan(10e6);
  });
});
