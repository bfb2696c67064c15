import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FoundRecordings } from '../analyses/listed-run.ts';
import { MiB } from '../base/bytes.ts';
import { errnoCode, UserError } from '../base/errors.ts';
import type { InputsInfo } from '../model/inputs-info.ts';
import type { EncodedAnswer } from '../model/questions.ts';
import { AccessCheck } from './access.ts';
import { type Asset, pageAssets } from './assets.ts';
import { FirstAnswers } from './first-answer.ts';
import { FrontPage } from './front-page.ts';
import { OpenPages } from './open-pages.ts';
import { QueryClient, QueryError } from './query-client.ts';
import { TakenFiles } from './taken-files.ts';

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export interface ServeOptions {
  readonly inputs: readonly string[];
  /** 0: any that is free. */
  readonly port: number;
  readonly nice?: number;
  /** Offers the recordings that lie here. */
  readonly lists?: boolean;
  /** Opens files that are dropped on the page. */
  readonly takesFiles?: boolean;
}

export interface ViewServer {
  readonly port: number;
  /** With the token. */
  readonly url: string;
  /** Reads the last of a recording, tells the pages, and lets them fetch it before it goes. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Serves the page and its data on this machine only. Listens at once; inputs are opened meanwhile. */
export async function serve(options: ServeOptions): Promise<ViewServer> {
  const assets = pageAssets();
  const front = new FrontPage(assets);
  const pages = new OpenPages();
  let port = options.port;
  const access = new AccessCheck(() => port);
  const { inputs, nice = 0, lists = false, takesFiles = false } = options;
  const taken = takesFiles ? new TakenFiles() : null;
  const server = createServer();
  port = await listen(server, options.port);
  const known = (info: InputsInfo) => ({ ...info, ...(takesFiles && { takesFiles }) });
  const queries = new QueryClient({ inputs, nice, lists }, (info) => {
    pages.tell(known(info));
    first.prepare(info);
  });
  const first = new FirstAnswers((path) => queries.ask(path, '', { onDrop: () => {} }));
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/api/') && request.url !== '/api/live') pages.count(response);
    void handle({ request, response, assets, front, first, access, queries, pages, taken, known });
  });
  const close = async () => {
    pages.close();
    await queries.close();
    taken?.remove();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return {
    port,
    url: `http://127.0.0.1:${port}/?token=${access.token}`,
    close,
    async finish() {
      await queries.leave();
      await pages.upToDate();
      await close();
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const taken = errnoCode(error) === 'EADDRINUSE';
      const what = taken
        ? `port ${port} is taken`
        : `cannot listen on port ${port}: ${error.message}`;
      reject(new UserError(what, { hint: 'leave --port out for any that is free', cause: error }));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly assets: ReadonlyMap<string, Asset>;
  readonly front: FrontPage;
  readonly first: FirstAnswers;
  readonly access: AccessCheck;
  readonly queries: QueryClient;
  readonly pages: OpenPages;
  /** null: nothing is taken. */
  readonly taken: TakenFiles | null;
  known(info: InputsInfo): InputsInfo;
}

async function handle(visit: Visit): Promise<void> {
  const { request, response, assets, front, access } = visit;
  response.setHeader('content-security-policy', front.policy);
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  const url = addressOf(request);
  if (!url) return plain(response, 400, 'this is no address');
  const granted = access.check(request, url);
  if (granted === 'foreign')
    return plain(response, 403, 'refused: asked for by another name or page');
  if (granted === 'unknown') {
    return plain(response, 403, 'refused: open the address that highwater printed, with its token');
  }
  const post = POSTS[url.pathname];
  if (post && request.method !== 'POST') return plain(response, 405, 'only POST');
  if (post) return answered(response, () => post(visit, url));
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return plain(response, 405, 'only GET');
  }
  if (url.pathname.startsWith('/api/')) return api(visit, url);
  if (url.pathname === '/' && url.searchParams.has('token')) {
    // From here on the cookie does, and the page takes the token out of its address. A redirect
    // would not: after a link on another page, browsers keep a strict cookie back from it.
    response.setHeader('set-cookie', access.setCookie);
  }
  if (url.pathname === '/') return opened(visit);
  const asset = assets.get(url.pathname.slice(1));
  if (!asset) return plain(response, 404, 'there is no such page');
  response.setHeader('content-type', asset.type);
  response.end(asset.bytes);
}

/** The page itself, with what it would ask for first where that is known. */
function opened({ response, front, first, queries, known }: Visit): void {
  const answer = first.of(queries.info);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(front.html(answer && { info: known(queries.info), first: answer }));
}

async function api(visit: Visit, url: URL): Promise<void> {
  const { request, response, queries, first, pages, known } = visit;
  const path = url.pathname.slice('/api/'.length);
  if (path === 'live') return pages.listen(response, known(queries.info));
  if (path === 'job') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(known(queries.info)));
    return;
  }
  if (path === 'one-file') return answered(response, () => queries.save());
  url.searchParams.delete('token');
  const onDrop = (drop: () => void) => request.on('close', drop);
  return answered(response, async () => {
    const { info } = queries;
    const query = url.searchParams.toString();
    const answer = await queries.ask(path, query, { onDrop });
    if (query === '') first.heard(info, path, answer);
    return answer;
  });
}

const CONTENT: Readonly<Record<EncodedAnswer['kind'], string>> = {
  json: 'application/json',
  columns: 'application/octet-stream',
  // To be saved: as a page of ours it would run under the wrong policy.
  html: 'application/octet-stream',
};

async function answered(response: ServerResponse, ask: () => Promise<EncodedAnswer>) {
  try {
    const { kind, bytes } = await ask();
    response.setHeader('content-type', CONTENT[kind]);
    response.end(bytes, () => letGo(bytes.buffer));
  } catch (error) {
    const status =
      error instanceof QueryError ? error.status : error instanceof UserError ? 400 : 500;
    plain(response, status, error instanceof Error ? error.message : String(error));
  }
}

/** What a page may have us do. */
const POSTS: Readonly<Record<string, (visit: Visit, url: URL) => Promise<EncodedAnswer>>> = {
  async '/api/cancel'({ queries }, url) {
    await queries.cancel(url.searchParams.get('run') ?? '');
    return { kind: 'json', bytes: new TextEncoder().encode('{}') };
  },
  /** A recording of the list, and nothing else that lies here. */
  async '/api/open'({ queries }, url) {
    const path = url.searchParams.get('path') ?? '';
    const { bytes } = await queries.ask('job/recordings', '', { onDrop: () => {} });
    const { recordings }: FoundRecordings = JSON.parse(new TextDecoder().decode(bytes));
    if (recordings.some((one) => one.path === path)) return queries.open(path);
    throw new UserError(`${path.slice(0, 200)} is none of the recordings here`);
  },
  async '/api/take'({ request, queries, taken }, url) {
    if (!taken) throw new UserError('files are opened by highwater view alone');
    return queries.open(await taken.take(url.searchParams.get('name') ?? '', request));
  },
};

function addressOf(request: IncomingMessage): URL | null {
  try {
    return new URL(request.url ?? '/', 'http://highwater.invalid');
  } catch {
    return null;
  }
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

/** Nothing that is sent here arrives. */
const { port1: nowhere } = new MessageChannel();
nowhere.close();
/** From so many bytes on it matters when they are collected. */
const LARGE_BYTES = MiB;

/** Gives a large answer's memory back at once. So little else is made in this thread that it would be collected late or never. */
function letGo(sent: ArrayBuffer): void {
  if (sent.byteLength >= LARGE_BYTES) nowhere.postMessage(null, [sent]);
}
