import { integer, inUnits, type Message, size } from './message.ts';

/** Languages, their libraries and heaps with a limit of their own. */
export const PROGRAMS: readonly Message[] = [
  {
    source: 'v8',
    place: 'heap',
    when: /FATAL ERROR: .{0,120}JavaScript heap out of memory|ERR_WORKER_OUT_OF_MEMORY/,
  },
  {
    source: 'java',
    place: 'host',
    when: /OutOfMemoryError: (?:Cannot reserve \d{1,20} bytes of direct|Direct) buffer memory/,
    read: (text) => ({
      asked: size(text, /reserve SIZE/),
      allocated: integer(text, /allocated: (\d{1,20})/),
      limit: integer(text, /limit: (\d{1,20})/),
      limitOf: '-XX:MaxDirectMemorySize',
    }),
  },
  {
    source: 'java',
    place: 'host',
    when: /Could not reserve enough space for (?:\d{1,15}KB )?object heap/,
    read: (text) => ({ asked: inUnits(text, /for (\d{1,15})KB/, 1024) }),
  },
  {
    source: 'java',
    place: 'host',
    when: /OutOfMemoryError: unable to create (?:new )?native thread/,
  },
  {
    source: 'java',
    place: 'heap',
    when: /\bjava\.lang\.OutOfMemoryError\b|Terminating due to java\.lang\.OutOfMemoryError/,
  },
  {
    source: 'java',
    place: 'host',
    when: /There is insufficient memory for the Java Runtime Environment to continue/,
    read: (text) => ({
      asked: size(text, /allocate SIZE/) ?? size(text, /failed to (?:map|allocate) SIZE/),
    }),
    more: 3,
  },
  {
    source: 'dataloader',
    place: 'shm',
    when: /insufficient shared memory \(shm\)|DataLoader worker \(pid\(?s?\)? [\d, ]{1,80}\) (?:is|was) killed by signal: Bus error|workers are out of shared memory|unable to allocate shared memory ?\(shm\) for file <\/torch_|unable to (?:open|write to|mmap) (?:shared memory object|file) <\/torch_\S{1,80}>(?:\s{0,4}$|.{0,60}(?:No space left|Cannot allocate))/,
    read: (text) => ({ pid: integer(text, /\(pid\(?s?\)? (\d{1,10})/) }),
  },
  {
    source: 'dataloader',
    place: 'host',
    when: /DataLoader worker \(pid\(?s?\)? [\d, ]{1,80}\) (?:is|was) killed by signal: Killed/,
    read: (text) => ({ pid: integer(text, /\(pid\(?s?\)? (\d{1,10})/) }),
  },
  {
    source: 'numpy',
    place: 'host',
    when: /MemoryError: Unable to allocate .{1,30} for an array with shape/,
    read: (text) => ({
      asked: size(text, /Unable to allocate SIZE/),
      shape: /with shape (\([\d, ]{0,120}\))/.exec(text)?.[1],
    }),
  },
  {
    source: 'python',
    place: 'host',
    when: /^(?:\[rank\d{1,5}\]: ?)?(?:\w{1,40}\.){0,6}_?[A-Za-z]{0,20}MemoryError(?::|\s{0,4}$)/,
    read: (text) => ({ asked: size(text, /[Uu]nable to allocate SIZE/) }),
  },
  {
    source: 'c++',
    place: 'host',
    when: /what\(\):\s{0,4}std::bad_alloc|instance of 'std::bad_alloc'/,
  },
  {
    source: 'r',
    place: 'host',
    when: /\bcannot allocate vector of size [\d.]{1,20} [KMG]b/i,
    read: (text) => {
      const limit = size(text, /Reached total allocation of SIZE/i);
      const limitOf = limit === undefined ? undefined : 'memory.limit()';
      return { asked: size(text, /of size SIZE/i), limit, limitOf };
    },
    more: 4,
  },
  {
    source: 'rust',
    place: 'host',
    when: /memory allocation of \d{1,20} bytes failed/,
    read: (text) => ({ asked: size(text, /allocation of SIZE/) }),
  },
  {
    source: 'go',
    place: 'host',
    when: /^fatal error: (?:runtime: )?(?:out of memory|cannot allocate memory)|^runtime: out of memory: cannot allocate \d/,
    read: (text) => ({ asked: integer(text, /cannot allocate (\d{1,20})-byte/) }),
  },
  {
    source: 'system',
    place: 'host',
    when: /\[Errno 12\] Cannot allocate memory|(?:: |')Cannot allocate memory[')]?\.?\s{0,4}$/,
  },
];
