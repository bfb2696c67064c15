import { signal } from '@preact/signals';
import { decodeColumns } from '../model/columns.ts';
import type { InputsInfo } from '../model/inputs-info.ts';
import { type KeptAnswer, KeptAnswers } from './kept-answers.ts';
import { type Connection, type Query, queryText, type Store, StoreError } from './store-types.ts';

const NOT_KEPT =
  'highwater has ended, and this part had not been loaded before: highwater view opens it again';

/** Scripts that a page starts when it is first opened. */
const WORKERS = ['map-worker'];

/** Asks the server that the page came from. What it said is kept: when it goes, the page stays as it is. */
export function servedStore(): Store {
  const first = firstAnswers();
  const inputs = signal<InputsInfo | null>((first.get('job') as InputsInfo | undefined) ?? null);
  const failure = signal<string | null>(null);
  const connection = signal<Connection>('open');
  const wasLive = signal(false);
  const kept = new KeptAnswers();
  for (const [question, answer] of first) {
    kept.keep(question, { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(answer)) });
  }
  const workers = new Map<string, string>();
  let last: string | null = inputs.peek() && JSON.stringify(inputs.peek());

  const ask = async (question: string, abort?: AbortSignal): Promise<KeptAnswer> => {
    const known = () => kept.get(question);
    const response = await fetch(`api/${question}`, { signal: abort }).catch((error: Error) => {
      if (error.name === 'AbortError') throw error;
      const answer = known();
      if (answer) return answer;
      throw new StoreError(NOT_KEPT);
    });
    if (!(response instanceof Response)) return response;
    if (!response.ok) throw new StoreError(await reason(response));
    const columns = response.headers.get('content-type') === 'application/octet-stream';
    const bytes = new Uint8Array(await response.arrayBuffer());
    const answer = { kind: columns ? 'columns' : 'json', bytes } as const;
    kept.keep(question, answer);
    return answer;
  };

  /** The server is about to go: all that a one-file report would carry is fetched while it can be. */
  const fetchAll = async (questions: readonly string[]) => {
    for (const question of questions) await ask(question).catch(() => {});
    for (const name of WORKERS) {
      const script = await fetch(`${name}.js`).catch(() => null);
      if (script?.ok) workers.set(name, URL.createObjectURL(await script.blob()));
    }
  };

  const show = (text: string) => {
    connection.value = 'open';
    failure.value = null;
    if (text === last) return;
    const info = JSON.parse(text) as InputsInfo;
    const leaving = info.lastCall && !inputs.peek()?.lastCall;
    last = text;
    // What came with the page was true of what was known then.
    first.clear();
    inputs.value = info;
    if (info.live) wasLive.value = true;
    if (leaving) void fetchAll(info.lastCall);
  };

  const look = async () => {
    const before = last;
    try {
      const response = await fetch('api/job');
      if (!response.ok) throw new StoreError(await reason(response));
      const text = await response.text();
      // What was told meanwhile is newer than this answer, and may be the last that is ever told.
      if (last === before) show(text);
    } catch (error) {
      if (error instanceof StoreError) failure.value = error.message;
      else if (inputs.peek() === null) failure.value = 'highwater has ended: highwater view again';
      else connection.value = inputs.peek()?.lastCall ? 'finished' : 'lost';
    }
  };
  if (last === null) void look();
  const events = new EventSource('api/live');
  events.addEventListener('job', (event) => show(event.data));
  // The browser tries again by itself; meanwhile the reader learns that nobody answers.
  events.addEventListener('error', look);

  return {
    inputs,
    failure,
    connection,
    wasLive,
    known: <T>(path: string, query: Query = {}) =>
      first.get(`${path}${queryText(query)}`) as T | undefined,
    async get<T>(path: string, query: Query = {}, abort?: AbortSignal): Promise<T> {
      const question = `${path}${queryText(query)}`;
      const { kind, bytes } = await ask(question, abort);
      // A page may give its columns away to a worker: what is kept stays ours.
      const isKept = kept.get(question)?.bytes === bytes;
      if (kind === 'columns') return decodeColumns(isKept ? bytes.slice() : bytes) as T;
      return JSON.parse(new TextDecoder().decode(bytes)) as T;
    },
    worker: (name) => new Worker(workers.get(name) ?? `${name}.js`, { name }),
    cancel: async (run) => {
      await fetch(`api/cancel?run=${encodeURIComponent(run)}`, { method: 'POST' });
    },
    open: null,
    openHere: (path) => posted(`api/open?path=${encodeURIComponent(path)}`),
    take: (file) => posted(`api/take?name=${encodeURIComponent(file.name)}`, file),
    async oneFile() {
      const response = await fetch('api/one-file').catch(() => {
        throw new StoreError('highwater has ended: report --html writes such a file');
      });
      if (!response.ok) throw new StoreError(await reason(response));
      return response.blob();
    },
  };
}

/** The answers that the server wrote into the page, by their questions. */
function firstAnswers(): Map<string, unknown> {
  const blocks = document.querySelectorAll<HTMLScriptElement>('script[data-first]');
  return new Map(
    [...blocks].map(({ dataset, textContent }) => [
      dataset.first!,
      JSON.parse(textContent ?? 'null'),
    ]),
  );
}

/** Answers with the run that was opened. */
async function posted(address: string, body?: Blob): Promise<string> {
  const response = await fetch(address, { method: 'POST', body }).catch(() => {
    throw new StoreError('highwater has ended, and opens nothing more');
  });
  if (!response.ok) throw new StoreError(await reason(response));
  return ((await response.json()) as { run: string }).run;
}

async function reason(response: Response): Promise<string> {
  const text = await response.text();
  return text.length > 0 && text.length < 2000 ? text : `the server answered ${response.status}`;
}
