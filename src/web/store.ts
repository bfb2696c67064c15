import { signal } from '@preact/signals';
import { decodeColumns } from '../model/columns.ts';
import type { InputsInfo } from '../model/inputs-info.ts';
import { type Embedded, embedded, viewerScripts } from './embedded.ts';
import { servedStore } from './served-store.ts';
import { type Connection, type Query, queryText, type Store, StoreError } from './store-types.ts';
import { ViewerWorker } from './viewer-worker-client.ts';

export { type Query, queryText, type Store } from './store-types.ts';

/** What a page without a server is not told, and cannot ask for. */
const ALONE = {
  failure: signal(null),
  connection: signal<Connection>('open'),
  wasLive: signal(false),
  known: () => undefined,
  cancel: null,
  open: null,
  openHere: null,
  take: null,
  oneFile: null,
};

/** A page that reads what is dropped on it, by the analyses that it carries. */
function viewer(scripts: Pick<Embedded, 'workerUrl'>): Store {
  const inputs = signal<InputsInfo | null>(null);
  const client = new ViewerWorker(scripts.workerUrl('viewer-worker'), (info) => {
    inputs.value = info;
  });
  return {
    ...ALONE,
    inputs,
    async get<T>(path: string, query: Query = {}, abort?: AbortSignal): Promise<T> {
      const { kind, bytes } = await client.ask(path, queryText(query).slice(1), abort);
      if (kind === 'columns') return decodeColumns(bytes) as T;
      return JSON.parse(new TextDecoder().decode(bytes)) as T;
    },
    worker: (name) => new Worker(scripts.workerUrl(name), { name }),
    open: (files) => client.open(files),
  };
}

function inOneFile(data: Embedded): Store {
  return {
    ...ALONE,
    inputs: signal(data.inputs),
    async get<T>(path: string, query: Query = {}): Promise<T> {
      const found = await data.read(`${path}${queryText(query)}`);
      if (found === null) {
        throw new StoreError(
          'this one-file report does not carry that: open the recording with highwater view',
        );
      }
      return found as T;
    },
    worker: (name) => new Worker(data.workerUrl(name), { name }),
  };
}

export const isOneFile = embedded !== null;
export const store: Store = embedded
  ? inOneFile(embedded)
  : viewerScripts
    ? viewer(viewerScripts)
    : servedStore();
