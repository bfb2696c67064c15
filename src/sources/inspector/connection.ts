import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../base/errors.ts';
import { readStat } from '../proc.ts';
import { listeningPorts, portsOf } from './ports.ts';
import { type NodeTarget, nodeTarget } from './target.ts';
import { WebSocketClient } from './websocket.ts';

const ANSWER_MS = 5000;
const OPEN_MS = 10_000;

/**
 * Closes the inspector from inside, a moment later: closing waits for those who are connected, which would
 * be us. Nothing in it may throw, as nobody would catch that and the program would end.
 */
const CLOSE_SOON = `(() => {
  try {
    const load = process.getBuiltinModule ?? require;
    const inspector = load('inspector');
    setTimeout(() => { try { inspector.close(); } catch {} }, 50).unref();
  } catch {}
})()`;

type Waiting = { resolve(value: Record<string, unknown>): void; reject(error: Error): void };

/** A conversation with a Node process's inspector. */
export class Inspector {
  readonly #socket: WebSocketClient;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, (params: Record<string, unknown>) => void>();
  /** Whether the inspector was closed before we came. */
  readonly #opened: boolean;
  #next = 1;
  #closed = false;

  /** Opens the inspector where it is closed, after making sure that the process can take the signal. */
  static async open(pid: number): Promise<Inspector> {
    const target = nodeTarget(pid);
    const there = await pageOf(pid);
    const url = there ?? (await opened(target));
    try {
      const inspector = new Inspector(
        await WebSocketClient.connect(url, ANSWER_MS),
        there === null,
      );
      await inspector.#leaveInTime();
      return inspector;
    } catch (error) {
      throw new UserError(`the inspector of process ${pid} does not answer`, { cause: error });
    }
  }

  private constructor(socket: WebSocketClient, opened: boolean) {
    this.#socket = socket;
    this.#opened = opened;
    socket.onMessage = (text) => this.#take(text);
    socket.onClose = () => this.#end();
  }

  /** A program that ends waits for those who are connected: it says so, and we go. */
  async #leaveInTime(): Promise<void> {
    this.on('NodeRuntime.waitingForDisconnect', () => this.#socket.close());
    await this.call('NodeRuntime.notifyWhenWaitingForDisconnect', { enabled: true });
  }

  on(event: string, listener: (params: Record<string, unknown>) => void): void {
    this.#listeners.set(event, listener);
  }

  call(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    if (this.#closed) return Promise.reject(gone());
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** The value of an expression in the process. */
  async value(expression: string): Promise<unknown> {
    const answer = await this.call('Runtime.evaluate', {
      expression,
      returnByValue: true,
      includeCommandLineAPI: true,
    });
    return (answer.result as { value?: unknown } | undefined)?.value;
  }

  /** Leaves the process as it was: an inspector that we opened is closed again. */
  async close(): Promise<void> {
    if (this.#closed) return;
    if (this.#opened) {
      await this.value(CLOSE_SOON).catch(() => {});
    }
    this.#socket.close();
  }

  #take(text: string): void {
    const message = JSON.parse(text) as {
      id?: number;
      method?: string;
      params?: Record<string, unknown>;
      result?: Record<string, unknown>;
      error?: { message?: string };
    };
    if (message.method) this.#listeners.get(message.method)?.(message.params ?? {});
    const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id!);
    if (message.error)
      waiting.reject(new UserError(`the inspector says: ${message.error.message}`));
    else waiting.resolve(message.result ?? {});
  }

  #end(): void {
    this.#closed = true;
    for (const waiting of this.#waiting.values()) waiting.reject(gone());
    this.#waiting.clear();
  }
}

const gone = () =>
  new UserError('the process ended, or closed its inspector, before it had answered', {
    hint: 'memory may have run out',
  });

/** Sends the signal to a process that catches it, and waits for its inspector. */
async function opened(target: NodeTarget): Promise<string> {
  const { pid, startTime, port, catchesSignal } = target;
  if (!catchesSignal) {
    throw new UserError(`process ${pid} does not let its inspector be opened`, {
      hint: 'start it with node --inspect, or use heap() from highwater in it; nothing was sent to it',
    });
  }
  if (port !== 0 && [...listeningPorts().values()].includes(port)) {
    throw new UserError(
      `port ${port}, where the inspector of process ${pid} would listen, is taken`,
      {
        hint: 'end the other one, or start the program with --inspect-port=0; nothing was sent to it',
      },
    );
  }
  // The pid may have become another's since it was looked at.
  if (readStat('/proc', pid)?.startTime !== startTime)
    throw new UserError(`process ${pid} has ended`);
  process.kill(pid, 'SIGUSR1');
  const deadline = performance.now() + OPEN_MS;
  while (performance.now() < deadline) {
    await sleep(50);
    const url = await pageOf(pid);
    if (url !== null) return url;
    if (!readStat('/proc', pid)) throw new UserError(`process ${pid} ended when it was asked`);
  }
  throw new UserError(`process ${pid} has opened no inspector in ${OPEN_MS / 1000} s`, {
    hint: 'it may use SIGUSR1 for itself: start it with node --inspect',
  });
}

/** Where the inspector of a process waits for us; null: it has none open. */
async function pageOf(pid: number): Promise<string | null> {
  for (const port of portsOf(pid)) {
    const pages = await json(port).catch(() => null);
    if (!Array.isArray(pages)) continue;
    const page = pages.find((one: { type?: string }) => one?.type === 'node') as
      | { webSocketDebuggerUrl?: unknown }
      | undefined;
    if (typeof page?.webSocketDebuggerUrl === 'string') return page.webSocketDebuggerUrl;
  }
  return null;
}

/** Ports of a process may speak anything: what is no answer of an inspector is none. */
function json(port: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = get(
      { host: '127.0.0.1', port, path: '/json/list', timeout: 1000 },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > 1e6) asked.destroy(new Error('too long'));
        });
        response.once('end', () => {
          try {
            resolve(JSON.parse(text));
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    asked.once('timeout', () => asked.destroy(new Error('no answer')));
    asked.once('error', reject);
  });
}
