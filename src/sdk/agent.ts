import { appendFileSync, mkdirSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Bytes that may wait for the recorder; what does not fit is dropped and counted. */
const MAX_WAITING = 1 << 20;
const PROTOCOL_VERSION = 1;

type Write = (line: string) => void;

/**
 * The agent in a Node program. Connects when the first message comes; without a recorder every call
 * does nothing. It never throws, never blocks and never keeps the program from ending.
 */
class Agent {
  #write: Write | null | undefined;
  #dropped = 0;

  send(message: object): void {
    try {
      this.#write ??= this.#open();
      this.#write?.(`${JSON.stringify(message)}\n`);
    } catch {
      this.#write = null;
    }
  }

  #open(): Write | null {
    const write = this.#connect() ?? this.#openFile();
    if (!write) return null;
    const hello = { type: 'hello', version: PROTOCOL_VERSION, pid: process.pid };
    write(`${JSON.stringify({ ...hello, language: 'node', rank: rank() })}\n`);
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
    process.once('beforeExit', () => {
      socket.end(`${JSON.stringify({ type: 'bye', dropped: this.#dropped })}\n`);
    });
    return (line) => {
      if (socket.writableLength > MAX_WAITING) this.#dropped++;
      else socket.write(line);
    };
  }

  #openFile(): Write | null {
    const folder = process.env.HIGHWATER_OUT;
    if (!folder) return null;
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${hostname()}-${rank() ?? '-'}-${process.pid}.ndjson`);
    return (line) => appendFileSync(file, line);
  }
}

/** The rank of this process, as launchers tell it; torch's first, since others may name the node. */
function rank(): number | null {
  for (const name of ['RANK', 'OMPI_COMM_WORLD_RANK', 'PMI_RANK', 'SLURM_PROCID']) {
    const text = process.env[name] ?? '';
    if (/^\d+$/.test(text)) return Number(text);
  }
  return null;
}

export const agent = new Agent();
