import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { makeTemporaryFolder } from '../../model/disk/temporary-folder.ts';
import { sweepDeadSockets } from './dead-sockets.ts';
import type { Wrong } from './kinds/fields.ts';
import type { Hello } from './kinds/hello.ts';
import type { TimedMessage } from './kinds/index.ts';
import { PROTOCOL_VERSION, parseMessage } from './protocol.ts';
import { RequestRouter } from './request-router.ts';

/** A line longer than this is no message of ours. */
const MAX_LINE = 1 << 20;
/** So many lines that are no messages end a connection; those that are, but say nothing that is known, may come from a newer agent. */
const MOST_GARBAGE = 20;
const MOST_UNKNOWN = 10_000;

/** So long at most a fork of the program is waited for, which writes down what it held: it gives up by itself before. */
const WRITERS_MS = 65_000;

/** $TMPDIR may be deep; the limit of 108 bytes is not ours to change. */
const LONGEST = 79;

interface Sender {
  pid: number;
  rank: number | null;
  garbage: number;
  unknown: number;
}

export interface AgentEvents {
  /** A program says something of itself. */
  onMessage(message: TimedMessage, pid: number, rank: number | null): void;
  onWarning(text: string): void;
  /** A process speaks for the first time, or knows its rank only now. */
  onHello?(hello: Hello): void;
}

/**
 * The socket on which agents inside the workload speak. It lies in a folder of its own that only
 * this user can enter, with a short path: a Unix socket's may have 108 bytes.
 */
export class AgentSocket {
  readonly path: string;
  readonly #folder: string;
  readonly #server: Server;
  readonly #events: AgentEvents;
  readonly #connections = new Set<Socket>();
  readonly #writers = new Set<Socket>();
  readonly #requests = new RequestRouter();

  static async open(events: AgentEvents): Promise<AgentSocket> {
    const socket = new AgentSocket(events);
    await new Promise<void>((resolve, reject) => {
      socket.#server.once('error', reject);
      socket.#server.listen(socket.path, resolve);
    });
    chmodSync(socket.path, 0o600);
    socket.#server.unref();
    void sweepDeadSockets(dirname(socket.#folder));
    return socket;
  }

  private constructor(events: AgentEvents) {
    this.#events = events;
    this.#folder = makeTemporaryFolder('hw-', LONGEST);
    this.path = join(this.#folder, 's');
    this.#server = createServer((connection) => this.#accept(connection));
  }

  /** Waits a moment for what agents of a program that just ended still had on the way, and longer for files. */
  async close(): Promise<void> {
    const begun = performance.now();
    const patience = () => (this.#writers.size > 0 ? WRITERS_MS : 200);
    while (this.#connections.size > 0 && performance.now() < begun + patience()) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    for (const connection of this.#connections) connection.destroy();
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Asks the agent in a process for something that it then tells; nothing comes where there is none. */
  tell(pid: number, what: string): void {
    this.#requests.tell(pid, what);
  }

  #accept(connection: Socket): void {
    this.#connections.add(connection);
    connection.unref();
    const sender: Sender = { pid: 0, rank: null, garbage: 0, unknown: 0 };
    let rest = '';
    connection.setEncoding('utf8');
    connection.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      if (rest.length > MAX_LINE) {
        this.#events.onWarning(`the agent in process ${sender.pid} is cut off: a line has no end`);
        connection.destroy();
        return;
      }
      for (const line of lines) {
        if (connection.destroyed) return;
        this.#handle(line, sender, connection);
      }
    });
    connection.on('error', () => {});
    connection.on('close', () => {
      this.#connections.delete(connection);
      this.#writers.delete(connection);
      this.#requests.remove(connection);
    });
  }

  #handle(line: string, sender: Sender, connection: Socket): void {
    const message = parseMessage(line);
    if ('wrong' in message) {
      this.#events.onWarning(`an agent said something unreadable: ${message.wrong}`);
      this.#countWrong(message, sender, connection);
      return;
    }
    switch (message.type) {
      case 'hello':
        sender.pid = message.pid;
        sender.rank = message.rank;
        if (message.writes) this.#writers.add(connection);
        this.#requests.add(connection, message);
        this.#events.onHello?.(message);
        if (message.version > PROTOCOL_VERSION) {
          this.#events.onWarning(
            `the agent in process ${message.pid} is newer than this Highwater: update it`,
          );
        }
        return;
      case 'ask':
        this.#requests.ask(message, connection);
        return;
      case 'answer':
        this.#requests.answer(message, connection);
        return;
      case 'warning':
        this.#events.onWarning(`agent in process ${sender.pid}: ${message.text}`);
        return;
      case 'bye':
        if (message.dropped > 0) {
          this.#events.onWarning(
            `the agent in process ${sender.pid} dropped ${message.dropped} messages: it had too many at once`,
          );
        }
        return;
      default:
        this.#events.onMessage(message, sender.pid, sender.rank);
    }
  }

  /** Garbage costs the connection: it would keep us busy for nothing. */
  #countWrong({ garbage = false }: Wrong, sender: Sender, connection: Socket): void {
    if (garbage) sender.garbage++;
    else sender.unknown++;
    if (sender.garbage < MOST_GARBAGE && sender.unknown < MOST_UNKNOWN) return;
    const lines = sender.garbage + sender.unknown;
    this.#events.onWarning(
      `the agent in process ${sender.pid} is cut off: ${lines} lines of it were unreadable`,
    );
    connection.destroy();
  }
}
