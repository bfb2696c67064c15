import type { Socket } from 'node:net';

/** `tell`: what is said to the recorder before the answer. */
type Handler = (options: object, tell: (message: object) => void) => unknown;

/** What the recorder may ask of this process; nothing is loaded before it is asked for. */
const HANDLERS: Readonly<Record<string, () => Promise<Handler>>> = {
  sizes: async () => {
    const { allsizes } = await import('./sizes/account.ts');
    return () => allsizes();
  },
  heap: async () => {
    const { dumpHeap } = await import('./heap/dump.ts');
    return dumpHeap;
  },
};

export const ANSWERS: readonly string[] = Object.keys(HANDLERS);
const MOST_LINE = 1 << 16;

/** Answers whatever comes in, for as long as the connection is open (docs/agent-protocol.md). */
export function answerRequests(socket: Socket, send: (answer: object) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', async (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!.slice(0, MOST_LINE);
    for (const line of lines) {
      const answer = await answerTo(line, send);
      if (answer) send(answer);
    }
  });
}

async function answerTo(line: string, tell: (message: object) => void): Promise<object | null> {
  const request = parse(line);
  if (request?.type !== 'request') return null;
  const { id, what, options } = request;
  try {
    const load = HANDLERS[String(what)];
    if (!load) throw new Error(`nothing is known of '${what}'`);
    const value = await (await load())(Object(options), tell);
    return { type: 'answer', id, what, value };
  } catch (error) {
    return { type: 'answer', id, what, error: String(error).split('\n', 1)[0] };
  }
}

function parse(line: string): Record<string, unknown> | null {
  try {
    return Object(JSON.parse(line)) as Record<string, unknown>;
  } catch {
    return null;
  }
}
