import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEachFile } from '../../support/file-cleanup.ts';
import { where } from '../../support/programs.ts';
import { lackOf, type Part } from './folder.ts';

/** `it` for a test that needs these parts; see install.ts. */
export const whereFleet = (...parts: Part[]) => where(lackOf(...parts));

export interface Server {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** A folder of its own, which goes with it. */
  readonly folder: string;
  readonly pid: number;
  log(): string;
  /** Ends it, and waits until it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string;
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Asks the server itself. */
  ready(): Promise<boolean>;
}

const running = new Set<Server>();
const folders = new Set<string>();
afterEachFile(async () => {
  // Last started, first ended: a node goes before its controller.
  for (const server of [...running].reverse()) await server.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
});
process.once('exit', () => {
  for (const { pid } of running) process.kill(pid, 'SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder for a server's data, which goes with the test file. */
export function serverFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `highwater-${name}-`));
  folders.add(folder);
  return folder;
}

const WAIT_MS = 60_000;

/** Starts a server and resolves when it answers. One that ends before, or never answers, is an error with its log. */
export async function startServer(how: ServerCommand): Promise<Server> {
  const logFile = join(how.folder, 'log.txt');
  const output = openSync(logFile, 'a');
  const child = spawn(how.command, how.args, {
    cwd: how.folder,
    env: how.env ?? process.env,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = new Promise<void>((done) => {
    child.once('error', () => done());
    child.once('exit', () => done());
  });
  const server: Server = {
    url: how.url,
    folder: how.folder,
    pid: child.pid ?? 0,
    log: () => readFileSync(logFile, 'utf8'),
    async stop(signal = 'SIGTERM') {
      running.delete(server);
      await end(child, ended, signal);
    },
  };
  if (child.pid !== undefined) running.add(server);
  const until = performance.now() + WAIT_MS;
  while (!(await how.ready().catch(() => false))) {
    const isOver = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
    if (isOver || performance.now() > until) {
      await server.stop('SIGKILL');
      const what = isOver ? 'ended at once' : `gave no answer in ${WAIT_MS / 1000} s`;
      throw new Error(`${how.command} ${what}:\n${server.log().slice(-4000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return server;
}

async function end(child: ChildProcess, ended: Promise<void>, signal: NodeJS.Signals) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(late);
}

/** Ports that nobody listens on at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

export async function answers(url: string): Promise<boolean> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.ok;
}
