import { decodeColumns } from '../model/columns.ts';
import type { InputsInfo } from '../model/inputs-info.ts';

/** What a one-file report carries in itself. */
export interface Embedded {
  readonly inputs: InputsInfo;
  /** The answer to a question such as `run/0/timeline?width=2`; null where it is not there. */
  read(question: string): Promise<unknown>;
  workerUrl(name: string): string;
}

/** Data and scripts of workers lie in script elements that are not run, as base64; data of deflated bytes. */
const blocks = new Map<string, HTMLScriptElement>();
for (const block of document.querySelectorAll<HTMLScriptElement>('script[data-highwater]')) {
  blocks.set(block.dataset.highwater!, block);
}

function find(): Embedded | null {
  const block = blocks.get('job');
  if (!block) return null;
  return {
    inputs: JSON.parse(new TextDecoder().decode(fromBase64(block.textContent ?? ''))),
    async read(question) {
      const block = blocks.get(`data:${question}`);
      if (!block) return null;
      const bytes = await inflate(fromBase64(block.textContent ?? ''));
      if (block.dataset.kind === 'columns') return decodeColumns(bytes);
      return JSON.parse(new TextDecoder().decode(bytes));
    },
    workerUrl,
  };
}

function workerUrl(name: string): string {
  const block = blocks.get(`worker:${name}`);
  const source = fromBase64(block?.textContent ?? '');
  return URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export const embedded = find();

/** Of a page that reads files by itself (../viewer): its workers; null elsewhere. */
export const viewerScripts = blocks.has('worker:viewer-worker') ? { workerUrl } : null;
