import type { Redactor } from '../../base/redaction/index.ts';
import type { HeapInput } from '../heap-format.ts';
import { type Parsed, SnapshotParser } from './parser.ts';
import { RawValue } from './raw-value.ts';
import { refuse, type SnapshotPart } from './snapshot-part.ts';

const [QUOTE, COLON, CLOSE, CLOSE_LIST] = [0x22, 0x3a, 0x7d, 0x5d];
const MOST_HEADER = 1 << 20;
const PIECE = 1 << 20;
/** Lists of numbers, which the reader has checked; of the others, which it does not read, nothing goes along. */
const NUMBERS: ReadonlySet<string> = new Set(['nodes', 'edges', 'locations']);
/** What V8 calls its own: `system / Context`, `(GC roots)`; of `(code for train)` only a part. */
const OF_V8 = /^(system \/ [A-Za-z]+|\((?!.* for )[A-Za-z ]+\))$/;
const CODE_FOR = /^(\([a-z ]+ for )(.*)\)$/s;
/** Its own references that readers look for or often show; functions of the program have references of their names, too. */
const REFERENCES: ReadonlySet<string> = new Set(
  `back_pointer backing_store bindings bound_function bound_this buffer code constructor context dependent_code descriptors
  elements embedder_data enum_cache extension feedback_cell function_data getter global_proxy initial_map interpreter_data map
  name_or_scope_info native_context parent previous properties prototype prototype_info raw_outer_scope_info_or_feedback_metadata
  relocation_info scope_info script script_or_debug_info setter shared source table transition_info transitions value`
    .trim()
    .split(/\s+/),
);
const SCRIPT = /^(system \/ Script(?:\s*\/\s*)?)(.+)$/s;
/** As V8 draws the value of a WeakMap. */
const ENTRY = /^\d+ \/ part of key .* pair in WeakMap \(table @\d+\)$/s;

/** A heap snapshot of V8 to give away: its numbers as they are, with other texts. Damage is a FormatError, as in reading. */
export async function* redactV8Heap(
  input: HeapInput,
  redactor: Redactor,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // Once for itself: so it is known to be whole, and which texts are V8's own names.
  const parser = new SnapshotParser(input, () => false);
  for await (const piece of input.stream()) parser.push(piece);
  const parsed = parser.end();
  let separator = '{';
  for await (const { key, value } of parts(input)) {
    if (key !== null) {
      yield encoder.encode(`${separator}${JSON.stringify(key)}:`);
      separator = ',\n';
    }
    if (value instanceof Uint8Array) yield value;
    else if (key === 'strings') yield* textList(parsed, redactor);
    else yield encoder.encode(header(value, redactor));
  }
  yield encoder.encode('}\n');
}

function* textList(parsed: Parsed, redactor: Redactor): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const textAt = parsed.texts.reader();
  const ofV8 = namesOfV8(parsed);
  const isOfV8 = (id: number, text: string) =>
    REFERENCES.has(text) || (ofV8.has(id) && OF_V8.test(text));
  let line = '[';
  for (let id = 0; id < parsed.texts.count; id++) {
    const text = textAt(id);
    const by = isOfV8(id, text) ? text : renamed(text, redactor);
    line += `${id === 0 ? '' : ',\n'}${JSON.stringify(by)}`;
    if (line.length < PIECE) continue;
    yield encoder.encode(line);
    line = '';
  }
  yield encoder.encode(`${line}]`);
}

/** What a text becomes, by itself alone: V8 has each text once, whatever it is the name of. */
function renamed(text: string, redactor: Redactor): string {
  if (/^node:[\w/.-]+$/.test(text)) return text;
  const script = SCRIPT.exec(text);
  if (script) return script[1]! + renamed(script[2]!, redactor);
  const code = CODE_FOR.exec(text);
  if (code) return `${code[1]}${renamed(code[2]!, redactor)})`;
  return ENTRY.test(text) ? redactor.words(text) : redactor.content(text);
}

/** The texts that name nodes which V8 made for itself, scopes among them. */
function namesOfV8({ layout, nodes }: Parsed): ReadonlySet<number> {
  const own = new Set(
    ['synthetic', 'hidden', 'array', 'code', 'native', 'object', 'object shape'].map((type) =>
      layout.nodeTypes.indexOf(type),
    ),
  );
  const found = new Set<number>();
  for (let node = 0; node < layout.nodeCount; node++)
    if (own.has(nodes.type[node]!)) found.add(nodes.name[node]!);
  return found;
}

/** The value of "snapshot": counts, and names of fields, which are made of small letters. */
function header(text: string, redactor: Redactor): string {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string')
      return /^[a-z]+([_ ][a-z]+)*$/.test(value) ? value : redactor.words(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clean(one)]));
  };
  return JSON.stringify(clean(JSON.parse(text)));
}

interface PartOfFile {
  /** null: more of the value before. */
  readonly key: string | null;
  /** Bytes that are copied, or the text of the header; of the texts nothing. */
  readonly value: Uint8Array | string;
}

/** The parts of the outermost object in order; lists of numbers in pieces as they come. */
async function* parts(input: HeapInput): AsyncGenerator<PartOfFile> {
  let key: string | null = null;
  let whole = false;
  let part: SnapshotPart | null = null;
  let copying = false;
  let offset = 0;
  for await (const piece of input.stream()) {
    for (let at = 0; at < piece.length; ) {
      if (copying) {
        const end = piece.indexOf(CLOSE_LIST, at);
        const to = end < 0 ? piece.length : end + 1;
        yield { key: null, value: piece.slice(at, to) };
        copying = end < 0;
        at = to;
      } else if (part) {
        at = part.take(piece, at, piece.length, offset);
        if (!part.done) continue;
        if (key === 'snapshot') yield { key, value: (part as RawValue).text() };
        else if (key === 'strings') yield { key, value: '' };
        [part, key, whole] = [null, null, false];
      } else {
        const byte = piece[at++]!;
        if (key !== null && !whole) {
          if (byte === QUOTE) whole = true;
          else key += String.fromCharCode(byte);
        } else if (whole && byte === COLON) {
          if (NUMBERS.has(key!)) {
            yield { key, value: new Uint8Array(0) };
            [copying, key, whole] = [true, null, false];
          } else part = new RawValue(input.name, key === 'snapshot' ? MOST_HEADER : 0);
        } else if (byte === QUOTE) key = '';
        else if (byte === CLOSE) return;
      }
    }
    offset += piece.length;
  }
  throw refuse(input.name, offset, 'it ends in the middle');
}
