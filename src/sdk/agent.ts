import { appendFileSync, mkdirSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hello, ownRank } from './hello.ts';
import { ANSWERS, answerRequests } from './requests.ts';

/** Bytes that may wait for the recorder; what does not fit is dropped and counted. */
const MAX_WAITING = 1 << 20;

/** Whether there was room. */
type Write = (line: string) => boolean;

/**
 * The agent in a Node program. Connects when the first message comes; without a recorder every call
 * does nothing. It never throws, never blocks and never keeps the program from ending.
 */
class Agent {
  #write: Write | null | undefined;
  #dropped = 0;
  /** Called with each message, where a moment is waited for (sizes/scheduled-sizes.ts). */
  onMessage: ((message: object) => void) | null = null;

  /** Speaks to a recorder, where there is one, before there is anything to say: it may want to ask. */
  connect(): void {
    if (!process.env.HIGHWATER_SOCKET) return;
    try {
      if (this.#write === undefined) this.#write = this.#open();
    } catch {
      this.#write = null;
    }
  }

  /** False: nobody gets it, for there is no recorder or no room. */
  send(message: object): boolean {
    try {
      if (this.#write === undefined) this.#write = this.#open();
      const sent = this.#write?.(`${JSON.stringify(message)}\n`) ?? false;
      this.onMessage?.(message);
      return sent;
    } catch {
      this.#write = null;
      return false;
    }
  }

  #open(): Write | null {
    const write = this.#connect() ?? this.#openFile();
    if (!write) return null;
    write(`${JSON.stringify(hello(ANSWERS))}\n`);
    return write;
  }

  #connect(): Write | null {
    const path = process.env.HIGHWATER_SOCKET;
    if (!path) return null;
    const socket: Socket = createConnection(path);
    socket.unref();
    socket.on('error', () => {
      this.#write = null;
    });
    answerRequests(socket, (answer) => socket.write(`${JSON.stringify(answer)}\n`));
    process.once('beforeExit', () => {
      socket.end(`${JSON.stringify({ type: 'bye', dropped: this.#dropped })}\n`);
    });
    return (line) => {
      if (socket.writableLength > MAX_WAITING) {
        this.#dropped++;
        return false;
      }
      socket.write(line);
      return true;
    };
  }

  #openFile(): Write | null {
    const folder = process.env.HIGHWATER_OUT;
    if (!folder) return null;
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${hostname()}-${ownRank() ?? '-'}-${process.pid}.ndjson`);
    return (line) => {
      appendFileSync(file, line);
      return true;
    };
  }
}

export const agent = new Agent();
