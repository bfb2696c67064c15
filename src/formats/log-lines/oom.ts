import { parseSize } from '../../base/bytes.ts';

/** What ran out: a GPU, the machine (or its container), a heap with a limit, or /dev/shm. */
export type OomPlace = 'gpu' | 'host' | 'heap' | 'shm';

/** The figures of an out-of-memory message, in bytes; absent where it does not say. */
export interface OomFigures {
  /** Whose message it is: torch, jax, tensorflow, v8, java, python, numpy, c++, system, kernel, dataloader. */
  readonly source: string;
  readonly place: OomPlace;
  readonly gpu?: number;
  /** What could not be allocated. */
  readonly asked?: number;
  readonly total?: number;
  readonly free?: number;
  /** In use by the process, with what the framework does not manage. */
  readonly process?: number;
  readonly allocated?: number;
  /** Held by the framework beside `allocated`: large where memory is in pieces. */
  readonly reservedUnused?: number;
  readonly shape?: string;
  readonly pid?: number;
}

const SIZE = String.raw`(\d{1,20}(?:\.\d{1,4})?) ?(bytes|[KMGT]i?B|B)\b`;

interface Message {
  readonly source: string;
  readonly place: OomPlace;
  readonly when: RegExp;
  readonly read?: (line: string) => Partial<OomFigures>;
}

const MESSAGES: readonly Message[] = [
  {
    source: 'torch',
    place: 'gpu',
    when: /\b(?:CUDA|HIP|XPU|MPS backend) out of memory\b.{0,200}Tried to allocate|(?:Error|error): (?:CUDA|HIP)(?: error:)? out of memory/,
    read: torch,
  },
  {
    source: 'jax',
    place: 'gpu',
    when: /RESOURCE_EXHAUSTED: .{0,80}(?:[Oo]ut of memory|[Aa]llocat)|XlaRuntimeError: RESOURCE_EXHAUSTED/,
    read: (line) => ({
      asked: size(line, /(?:allocate|allocating) (?:tensor of )?SIZE/),
    }),
  },
  {
    source: 'tensorflow',
    place: 'gpu',
    when: /\bOOM when allocating tensor with shape|Allocator \(\w{1,30}\) ran out of memory trying to allocate/,
    read: tensorflow,
  },
  {
    source: 'v8',
    place: 'heap',
    when: /FATAL ERROR: .{0,120}JavaScript heap out of memory/,
  },
  { source: 'java', place: 'heap', when: /\bjava\.lang\.OutOfMemoryError\b/ },
  {
    source: 'dataloader',
    place: 'shm',
    when: /insufficient shared memory \(shm\)|DataLoader worker \(pid\(?s?\)? [\d, ]{1,80}\) (?:is|was) killed by signal: Bus error|workers are out of shared memory/,
    read: (line) => ({ pid: integer(line, /\(pid\(?s?\)? (\d{1,10})/) }),
  },
  {
    source: 'dataloader',
    place: 'host',
    when: /DataLoader worker \(pid\(?s?\)? [\d, ]{1,80}\) (?:is|was) killed by signal: Killed/,
    read: (line) => ({ pid: integer(line, /\(pid\(?s?\)? (\d{1,10})/) }),
  },
  {
    source: 'torch',
    place: 'host',
    when: /DefaultCPUAllocator: (?:can't allocate|not enough) memory/,
    read: (line) => ({ asked: size(line, /tried to allocate SIZE/) }),
  },
  {
    source: 'numpy',
    place: 'host',
    when: /MemoryError: Unable to allocate .{1,30} for an array with shape/,
    read: (line) => ({
      asked: size(line, /Unable to allocate SIZE/),
      shape: /with shape (\([\d, ]{0,120}\))/.exec(line)?.[1],
    }),
  },
  {
    source: 'python',
    place: 'host',
    when: /^(?:\[rank\d{1,5}\]: ?)?(?:\w{1,40}\.){0,6}_?[A-Za-z]{0,20}MemoryError(?::|\s{0,4}$)/,
  },
  {
    source: 'c++',
    place: 'host',
    when: /what\(\):\s{0,4}std::bad_alloc|instance of 'std::bad_alloc'/,
  },
  {
    source: 'kernel',
    place: 'host',
    when: /\b(?:Out of memory|Memory cgroup out of memory): Kill(?:ed)? process \d{1,10}/,
    read: kernel,
  },
  {
    source: 'kernel',
    place: 'host',
    when: /^\s{0,4}Killed\s{0,4}$|: line \d{1,7}:\s{1,8}\d{1,10} Killed\b|slurmstepd: error: .{0,80}oom.kill/i,
    read: (line) => ({ pid: integer(line, /\s(\d{1,10}) Killed\b/) }),
  },
  {
    source: 'system',
    place: 'host',
    when: /\[Errno 12\] Cannot allocate memory|(?:: |')Cannot allocate memory[')]?\.?\s{0,4}$/,
  },
];

/** Warnings of an allocator that goes on, and lines of source code in a traceback. */
const HARMLESS = /not a failure|performance gains|^\s{2,}(?:raise|except|return|#)\b/;

/** What an out-of-memory message says; null for any other line. */
export function oomIn(line: string): OomFigures | null {
  const message = MESSAGES.find(({ when }) => when.test(line));
  if (!message || HARMLESS.test(line)) return null;
  const figures = Object.entries(message.read?.(line) ?? {}).filter(([, v]) => v !== undefined);
  return { source: message.source, place: message.place, ...Object.fromEntries(figures) };
}

function torch(line: string): Partial<OomFigures> {
  const reserved = size(line, /SIZE (?:reserved in total|cached)/);
  const allocated = size(line, /SIZE (?:already allocated|is allocated by PyTorch)/);
  return {
    asked: size(line, /Tried to allocate SIZE/),
    gpu: integer(line, /\bGPU (\d{1,4})\b/),
    total:
      size(line, /total capac(?:i)?ty of SIZE/) ??
      size(line, /SIZE total capacity/) ??
      size(line, /max allowed: SIZE/),
    free: size(line, /of which SIZE is free/) ?? size(line, /; SIZE free/),
    process: size(line, /(?:this process|Process \d{1,10}) has SIZE memory in use/),
    allocated: allocated ?? size(line, /MPS allocated: SIZE/),
    reservedUnused:
      size(line, /SIZE is reserved by PyTorch but unallocated/) ??
      (reserved !== undefined && allocated !== undefined && reserved >= allocated
        ? reserved - allocated
        : undefined),
  };
}

function tensorflow(line: string): Partial<OomFigures> {
  const shape = /with shape ?(\[[\d,]{0,120}\])(?: and type (\w{1,20}))?/.exec(line);
  const device = /device:(GPU|CPU):(\d{1,4})|\((?:GPU|CPU)_(\d{1,4})_/.exec(line);
  return {
    shape: shape ? [shape[1], shape[2]].filter(Boolean).join(' ') : undefined,
    asked: size(line, /trying to allocate SIZE/),
    gpu: device && !/CPU/.test(device[0]) ? Number(device[2] ?? device[3]) : undefined,
    ...(device && /CPU/.test(device[0]) ? { place: 'host' as const } : {}),
  };
}

function kernel(line: string): Partial<OomFigures> {
  const kilobytes = integer(line, /anon-rss:(\d{1,15})kB/);
  return {
    pid: integer(line, /process (\d{1,10})/),
    process: kilobytes === undefined ? undefined : kilobytes * 1024,
  };
}

const PATTERNS = new Map<string, RegExp>();

function size(line: string, pattern: RegExp): number | undefined {
  let full = PATTERNS.get(pattern.source);
  if (!full) {
    full = new RegExp(pattern.source.replace('SIZE', SIZE));
    PATTERNS.set(pattern.source, full);
  }
  const m = full.exec(line);
  if (!m) return undefined;
  // All of these count in powers of 1024, also those that write MB (Apple's backend does).
  const unit = m[2] === 'bytes' ? 'B' : m[2]!.replace(/^([KMGT])B$/, '$1iB');
  const bytes = parseSize(`${m[1]}${unit}`);
  // 17179869184.00 GiB free is a negative number that an old PyTorch printed as unsigned.
  return bytes < 2 ** 50 ? bytes : undefined;
}

function integer(line: string, pattern: RegExp): number | undefined {
  const m = pattern.exec(line);
  return m ? Number(m[1]) : undefined;
}
