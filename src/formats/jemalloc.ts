import { formatBytes } from '../base/bytes.ts';
import { FormatError } from '../base/errors.ts';
import type { Frame } from '../model/allocations/names.ts';
import type { Recording } from '../model/recording.ts';
import type { Format } from './format.ts';
import { HeapProfileWriter, ONE_MOMENT, type ProfileRow } from './heap-profile/writer.ts';
import { headText, type Input } from './input.ts';

/**
 * Heap profiles of jemalloc (`MALLOC_CONF=prof:true`), as the program wrote them or with names by `jeprof --raw`:
 * sampled allocations by call stack, addresses only, and the libraries that these are in.
 */
export const jemalloc: Format = {
  id: 'jemalloc',
  title: "jemalloc's heap profile",
  extensions: ['.heap'],
  sniff: (head) => SNIFFED.test(headText(head)),
  read: readHeap,
};

/** With names, these come first, and may fill more than what is looked at. */
const SNIFFED = /^(?:heap_v2\/\d|--- symbol\nbinary=[^\n]*\n0x[0-9a-f]+ )/;

/** Where a stretch of addresses was loaded from. */
interface Mapping {
  readonly start: bigint;
  readonly end: bigint;
  readonly offset: bigint;
  readonly file: string;
}

interface Sampled {
  /** The innermost first. */
  readonly addresses: readonly bigint[];
  readonly row: ProfileRow;
}

interface Heap {
  /** Bytes between two samples. */
  rate: number;
  readonly samples: Sampled[];
  readonly mappings: Mapping[];
  readonly names: Map<bigint, string>;
  hasMappings: boolean;
  tellsAllocated: boolean;
}

const HEADER = /^heap_v2\/(\d{1,15})$/;
const STACK = /^@((?: 0x[0-9a-f]{1,16})*)$/;
const COUNTS = /^ *t(\*|\d{1,9}): (\d{1,15}): (\d{1,15}) \[(\d{1,15}): (\d{1,15})\]$/;
const SYMBOL = /^0x([0-9a-f]{1,16}) (.*)$/;
const MAPPED = /^([0-9a-f]{1,16})-([0-9a-f]{1,16}) \S{4} ([0-9a-f]{1,16}) \S+ \d+ *(.*)$/;
/** Longer stacks are none of jemalloc's. */
const MOST_FRAMES = 4096;

function readHeap(input: Input): Recording {
  const heap = parse(input);
  const writer = new HeapProfileWriter(input.name, 'jemalloc');
  const framesOf = namer(heap);
  for (const { addresses, row } of heap.samples) {
    const told = heap.tellsAllocated
      ? row
      : { ...row, allocatedBytes: undefined, allocatedObjects: undefined };
    writer.add(writer.stack(framesOf(addresses)), told);
  }
  return writer.build(warnings(heap));
}

function parse(input: Input): Heap {
  const heap: Heap = {
    rate: 0,
    samples: [],
    mappings: [],
    names: new Map(),
    hasMappings: false,
    tellsAllocated: false,
  };
  let part: 'names' | 'head' | 'samples' | 'mappings' = 'head';
  let stack: bigint[] | null = null;
  let number = 0;
  for (const given of input.lines({ keepEnds: true })) {
    number++;
    const refusal = (what: string) =>
      new FormatError(`${input.name}, line ${number}: ${what}`, {
        hint: 'is it a whole heap profile of jemalloc?',
      });
    if (!given.endsWith('\n')) throw refusal('cut off');
    const line = given.replace(/\r?\n$/, '');
    if (part === 'mappings') {
      const found = MAPPED.exec(line);
      if (found) heap.mappings.push(mapping(found));
      continue;
    }
    if (part === 'names') {
      const found = SYMBOL.exec(line);
      if (found) heap.names.set(BigInt(`0x${found[1]}`), plainName(found[2]!));
      else if (line === '---') part = 'head';
      else if (!line.startsWith('binary=')) throw refusal('no name of an address');
      continue;
    }
    if (part === 'head') {
      const found = HEADER.exec(line);
      if (found) {
        heap.rate = Number(found[1]);
        part = 'samples';
      } else if (number === 1 && line === '--- symbol') part = 'names';
      else if (line !== '--- heap') throw refusal('expected heap_v2/RATE');
      continue;
    }
    const isStack = STACK.exec(line);
    const counts = COUNTS.exec(line);
    if (line === 'MAPPED_LIBRARIES:') {
      heap.hasMappings = true;
      part = 'mappings';
    } else if (isStack) {
      const addresses = isStack[1]!.split(' ').slice(1);
      if (addresses.length > MOST_FRAMES) throw refusal(`a stack of ${addresses.length} calls`);
      stack = addresses.map(BigInt);
    } else if (counts) {
      // Before the first stack they are those of all; behind a stack, those of single threads follow those of all.
      if (stack === null || counts[1] !== '*') continue;
      const [objects, bytes, allocatedObjects, allocatedBytes] = counts.slice(2).map(Number);
      const row = {
        ...unsampled(objects!, bytes!, heap.rate),
        ...asAllocated(unsampled(allocatedObjects!, allocatedBytes!, heap.rate)),
      };
      if (allocatedBytes! > 0) heap.tellsAllocated = true;
      heap.samples.push({ addresses: stack, row });
    } else if (line !== '') throw refusal('neither a call stack nor its counts');
  }
  if (heap.rate === 0) {
    throw new FormatError(`${input.name} is no heap profile of jemalloc`, {
      hint: part === 'names' ? 'it has names of addresses, and no samples behind them' : undefined,
    });
  }
  return heap;
}

/** An allocation of X bytes was sampled with the probability 1 − exp(−X / rate): so many stand for those that were not. */
function unsampled(objects: number, bytes: number, rate: number) {
  if (objects === 0 || bytes === 0) return { objects: 0, bytes: 0 };
  const scale = 1 / -Math.expm1(-(bytes / objects) / rate);
  return { objects: Math.round(objects * scale), bytes: Math.round(bytes * scale) };
}

const asAllocated = ({ objects, bytes }: { objects: number; bytes: number }) => ({
  allocatedObjects: objects,
  allocatedBytes: bytes,
});

const mapping = ([, start, end, offset, file]: readonly string[]): Mapping => ({
  start: BigInt(`0x${start}`),
  end: BigInt(`0x${end}`),
  offset: BigInt(`0x${offset}`),
  file: file!,
});

/** Without where the function begins, by which jeprof tells those of one name apart. */
const plainName = (text: string) =>
  text.split('--')[0]!.replace(/<[0-9a-f]{16}>$/, '') || '[no name]';

/** Frames of addresses, the innermost first, each made once. */
function namer(heap: Heap): (addresses: readonly bigint[]) => Frame[] {
  const known = new Map<bigint, { frame: Frame; mapping: Mapping | undefined }>();
  const sorted = heap.mappings.toSorted((a, b) => (a.start < b.start ? -1 : 1));
  const at = (address: bigint, isCaller: boolean) => {
    // What a caller is known by is where it goes on: the call is before that.
    const place = isCaller && address > 0n ? address - 1n : address;
    let found = known.get(place);
    if (!found) {
      const of = mappingOf(sorted, place);
      found = { frame: frameOf(place, of, heap.names), mapping: of };
      known.set(place, found);
    }
    return found;
  };
  const stackOf = (addresses: readonly bigint[]) =>
    addresses.map((address, i) => at(address, i > 0));
  const own = allocatorFile(heap.samples.map(({ addresses }) => stackOf(addresses)));
  return (addresses) => {
    const stack = stackOf(addresses);
    const first = stack.findIndex(({ mapping: of }) => own === null || of?.file !== own);
    return stack.slice(Math.max(first, 0)).map(({ frame }) => frame);
  };
}

/**
 * The library in which every stack begins, as the allocator looks at the stack from within itself; null where that is
 * the program, which is known by stacks that also end there.
 */
function allocatorFile(stacks: readonly { mapping: Mapping | undefined }[][]): string | null {
  const first = stacks[0]?.[0]?.mapping?.file;
  if (first === undefined || first === '') return null;
  const always = stacks.every(
    (stack) => stack[0]?.mapping?.file === first && stack.at(-1)!.mapping?.file !== first,
  );
  return always ? first : null;
}

function mappingOf(sorted: readonly Mapping[], address: bigint): Mapping | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]!.start <= address) low = middle + 1;
    else high = middle;
  }
  const found = sorted[low - 1];
  return found && address < found.end ? found : undefined;
}

function frameOf(address: bigint, of: Mapping | undefined, names: Heap['names']): Frame {
  const file = of?.file ?? '';
  const name = names.get(address);
  if (name !== undefined) return { function: name, file, line: 0 };
  if (!of || file === '') return { function: `0x${address.toString(16)}`, file: '', line: 0 };
  const offset = `0x${(address - of.start + of.offset).toString(16)}`;
  return { function: `${file.split('/').at(-1)}+${offset}`, file, line: 0 };
}

function warnings(heap: Heap): string[] {
  const found = [ONE_MOMENT];
  if (heap.rate > 1) {
    found.push(
      `about one byte in ${formatBytes(heap.rate)} was sampled: figures are estimates, and places that hold little are not seen`,
    );
  }
  if (heap.names.size === 0) {
    found.push(
      'it has addresses, no names of functions: (jeprof --raw PROGRAM FILE; cat FILE) > named.heap puts them in',
    );
  }
  if (!heap.hasMappings) {
    found.push('it ends without its list of libraries: where it was cut off, stacks are missing');
  }
  return found;
}
