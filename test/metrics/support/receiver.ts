import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEachFile } from '../../support/file-cleanup.ts';
import { decodeRemoteWrite1, type Received } from './decoded.ts';

export interface Request {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** What a receiver does with a request: it takes it, or answers by itself. `true`: it was taken. */
export type Behaviour = (request: Request, response: ServerResponse) => boolean | Promise<boolean>;

/** A server that takes remote-write, and behaves as it is told. */
export interface Receiver {
  readonly url: string;
  readonly requests: Request[];
  /** What was taken, as 1.0. */
  readonly taken: Received[];
  behave(behaviour: Behaviour): void;
  close(): Promise<void>;
}

const accept: Behaviour = (_request, response) => {
  response.writeHead(204).end();
  return true;
};

/** Those that know 1.0 only. */
export const refuse2: Behaviour = (request, response) => {
  const is2 = request.headers['x-prometheus-remote-write-version'] === '2.0.0';
  response.writeHead(is2 ? 415 : 204).end();
  return !is2;
};

export const answer =
  (status: number, headers: Record<string, string> = {}, text = ''): Behaviour =>
  (_request, response) => {
    response.writeHead(status, headers).end(text);
    return false;
  };

const open = new Set<Receiver>();
afterEachFile(async () => {
  for (const receiver of open) await receiver.close();
});

export async function startReceiver(
  behaviour: Behaviour = refuse2,
  tls?: { key: string; cert: string },
  port = 0,
): Promise<Receiver> {
  let behave = behaviour;
  const requests: Request[] = [];
  const taken: Received[] = [];
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const request = {
      path: incoming.url!,
      headers: incoming.headers,
      body: Buffer.concat(parts),
    };
    requests.push(request);
    const isTaken = await behave(request, response);
    const is1 = request.headers['x-prometheus-remote-write-version'] === '0.1.0';
    if (isTaken && is1) taken.push(...decodeRemoteWrite1(request.body));
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    handle(incoming, response).catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: chosen } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${chosen}/api/v1/write`,
    requests,
    taken,
    behave(next) {
      behave = next;
    },
    async close() {
      open.delete(receiver);
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  open.add(receiver);
  return receiver;
}

export { accept };
