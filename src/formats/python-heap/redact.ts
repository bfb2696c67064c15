import { isObject } from '../../base/checks.ts';
import type { Redactor } from '../../base/redaction/index.ts';
import { PYTHON_TABLES } from '../../model/heap/python-tables.ts';
import type { HeapInput } from '../heap-format.ts';
import { type Block, blocks, MAGIC } from './blocks.ts';
import { crc32 } from './crc32.ts';

/** Columns of numbers alone; a block of another name is not known to hold no text, and is left out. */
const NUMBERS: ReadonlySet<string> = new Set([
  'LEAF',
  'NODE',
  'LIST',
  'DICT',
  'INT ',
  'DATA',
  'MORE',
  'OWN ',
  'END ',
]);
/** docs/python-heap.md, "Beyond Python". */
const BEYOND: ReadonlySet<string> = new Set([
  ...['native libraries and mapped files', 'thread stacks', 'shared memory', 'device mappings'],
  ...["free in Python's allocator", 'free in malloc', 'native memory and overhead'],
  ...['counted but not resident'],
]);
const [FILE_HEAD, BLOCK_HEAD, COUNTS] = [16, 16, 16];

/** A heap of a Python process to give away: block by block, with other texts. Damage is a FormatError, as in reading. */
export async function* redactPythonHeap(
  input: HeapInput,
  redactor: Redactor,
): AsyncGenerator<Uint8Array> {
  const checksum = input.crc32 ?? crc32;
  let begun = false;
  for await (const block of blocks(input, { verify: true })) {
    if (!begun) yield fileHead(block.version);
    begun = true;
    const payload = redacted(block, redactor);
    if (payload === null) continue;
    const head = new Uint8Array(BLOCK_HEAD);
    const view = new DataView(head.buffer);
    for (let i = 0; i < 4; i++) head[i] = block.tag.charCodeAt(i);
    view.setUint32(4, checksum(payload), true);
    view.setBigUint64(8, BigInt(payload.length), true);
    yield head;
    yield payload;
  }
}

function fileHead(version: number): Uint8Array {
  const head = new Uint8Array(FILE_HEAD);
  head.set(MAGIC);
  new DataView(head.buffer).setUint32(8, version, true);
  return head;
}

function redacted(block: Block, redactor: Redactor): Uint8Array | null {
  const content = (text: string) => redactor.content(text);
  switch (block.tag) {
    case 'STR ':
    case 'TEXT':
      return withTexts(block, content);
    case 'ROOT':
      // `run() batch`, `'worker' in run() batch`: what is said there has a form.
      return withTexts(block, (text) => (PYTHON_TABLES.has(text) ? text : redactor.words(text)));
    case 'TYPE':
      return withJson(block, (value) => types(value, redactor));
    case 'KIND':
      return withJson(block, (value) =>
        (Array.isArray(value) ? value : []).map((kind) => redactor.words(String(kind))),
      );
    case 'INFO':
      return withJson(block, (value) => info(value, redactor));
    default:
      return NUMBERS.has(block.tag) ? block.bytes : null;
  }
}

/** The lengths of texts, and the texts, are the last columns. */
function withTexts(block: Block, change: (text: string) => string): Uint8Array {
  const { bytes, nodes, edges } = block;
  const start = bytes.length - edges - 4 * nodes;
  if (start < COUNTS) throw block.words.spoiled;
  const old = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  let at = bytes.length - edges;
  let total = 0;
  for (let i = 0; i < nodes; i++) {
    const length = old.getUint32(start + 4 * i, true);
    if (at + length > bytes.length) throw block.words.spoiled;
    const part = encoder.encode(change(decoder.decode(bytes.subarray(at, at + length))));
    at += length;
    total += part.length;
    parts.push(part);
  }
  if (at !== bytes.length) throw block.words.spoiled;
  const made = new Uint8Array(start + 4 * nodes + total);
  made.set(bytes.subarray(0, start));
  const view = new DataView(made.buffer);
  view.setBigUint64(8, BigInt(total), true);
  let end = start + 4 * nodes;
  for (const [i, part] of parts.entries()) {
    view.setUint32(start + 4 * i, part.length, true);
    made.set(part, end);
    end += part.length;
  }
  return made;
}

function withJson(block: Block, change: (value: unknown) => unknown): Uint8Array {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(block.words.text(block.edges)));
  } catch {
    throw block.words.spoiled;
  }
  const text = new TextEncoder().encode(JSON.stringify(change(value)));
  const made = new Uint8Array(COUNTS + text.length);
  made.set(block.bytes.subarray(0, 8));
  new DataView(made.buffer).setBigUint64(8, BigInt(text.length), true);
  made.set(text, COUNTS);
  return made;
}

/** Rows of address, name, module and the names of what objects of the type refer to. */
function types(value: unknown, redactor: Redactor): unknown[] {
  return (Array.isArray(value) ? value : []).flatMap((row) => {
    if (!Array.isArray(row) || typeof row[1] !== 'string') return [];
    const parts = Array.isArray(row[3]) ? row[3].map((part) => redactor.words(String(part))) : [];
    const name = redactor.typeName(row[1]);
    return [[Number(row[0]), name, redactor.typeName(String(row[2] ?? '')), parts]];
  });
}

/** Numbers as they are; of texts the version, and our names of what a process has beside its objects. */
function info(value: unknown, redactor: Redactor): unknown {
  if (!isObject(value)) return {};
  const known = Object.entries(value).filter(([, one]) => typeof one === 'number');
  const { version, own, beyond } = value;
  const parts = Object.entries(isObject(beyond) ? beyond : {}).map(([name, bytes]) => [
    BEYOND.has(name) ? name : redactor.words(name),
    Number(bytes),
  ]);
  return {
    ...Object.fromEntries(known.map(([key, one]) => [redactor.words(key), one])),
    ...(typeof version === 'string' && { version: redactor.words(version) }),
    ...(Array.isArray(own) && { own: own.map(Number) }),
    ...(isObject(beyond) && { beyond: Object.fromEntries(parts) }),
  };
}
