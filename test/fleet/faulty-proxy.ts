import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** What is done to one request: `cut` before it reaches the server, `forget` its answer when the server has done it, or a status. */
export type Fault = 'cut' | 'forget' | number | null;

export interface FaultyProxy {
  readonly port: number;
  /** Statements that came through, or did not. */
  readonly seen: string[];
  close(): Promise<void>;
}

/** Between a client and a server: `decide` says of each request, by its statement and its number, what goes wrong. */
export async function faultyProxy(
  to: string,
  decide: (statement: string, number: number) => Fault,
): Promise<FaultyProxy> {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing, to, (statement) => {
      seen.push(statement);
      return decide(statement, seen.length - 1);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((done) => server.close(() => done()));
  };
  return { port: address.port, seen, close };
}

async function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  to: string,
  decide: (statement: string) => Fault,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces);
  const query = new URL(incoming.url!, to).searchParams.get('query');
  const fault = decide(query ?? body.toString());
  if (fault === 'cut') {
    incoming.socket.destroy();
    return;
  }
  if (typeof fault === 'number') {
    outgoing.writeHead(fault, { 'content-type': 'text/plain' }).end(`made to say ${fault}\n`);
    return;
  }
  const { 'transfer-encoding': _, ...headers } = incoming.headers;
  const length = { 'content-length': String(body.length) };
  const onward = request(
    `${to}${incoming.url}`,
    { method: incoming.method, headers: { ...headers, ...length } },
    (answer) => {
      if (fault === 'forget') {
        answer.resume();
        answer.once('end', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  onward.once('error', () => incoming.socket.destroy());
  onward.end(body);
}
