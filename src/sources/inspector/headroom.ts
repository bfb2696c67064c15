import { formatBytes } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { readText } from '../proc.ts';

/**
 * Memory that V8 takes to write down a heap, as a multiple of the heap: 9.5 was measured on a heap of
 * small objects (128 MB of them), more than 13 has been seen.
 */
const TIMES_HEAP = 10;

export interface Headroom {
  readonly needed: number;
  readonly free: number;
  /** Who limits it. */
  readonly where: string;
}

/** What taking a heap needs in a process, and what it can have. */
export function headroomFor(
  pid: number,
  heapBytes: number,
  roots = { proc: '/proc', sys: '/sys' },
): Headroom {
  const needed = heapBytes * TIMES_HEAP;
  const host = /^MemAvailable:\s+(\d+) kB$/m.exec(readText(`${roots.proc}/meminfo`) ?? '')?.[1];
  let room = { free: host ? Number(host) * 1024 : Number.POSITIVE_INFINITY, where: 'the machine' };
  for (const limit of groupLimits(pid, roots)) if (limit.free < room.free) room = limit;
  return { needed, ...room };
}

/** Throws, with the numbers, where there is too little: running out of memory would end the program. */
export function checkHeadroom({ needed, free, where }: Headroom, heapBytes: number): void {
  if (needed <= free) return;
  throw new UserError(
    `a heap of ${formatBytes(heapBytes)} may take ${formatBytes(needed)} to write down, and ${where} has ${formatBytes(free)} left`,
    { hint: '--force takes it all the same, and may end the program' },
  );
}

/** What each control group above the process still lets it have (version 2; and 1, its own only). */
function* groupLimits(pid: number, { proc, sys }: { proc: string; sys: string }) {
  const text = readText(`${proc}/${pid}/cgroup`) ?? '';
  const unified = /^0::(\/.*)$/m.exec(text)?.[1];
  const where = 'its control group';
  if (unified !== undefined) {
    for (let path = unified; ; path = path.slice(0, path.lastIndexOf('/'))) {
      const folder = `${sys}/fs/cgroup${path === '/' ? '' : path}`;
      const [max, current] = [number(`${folder}/memory.max`), number(`${folder}/memory.current`)];
      if (max !== null && current !== null) yield { free: max - current + cache(folder), where };
      if (path === '' || path === '/') break;
    }
  }
  const old = /^\d+:memory:(\/.*)$/m.exec(text)?.[1];
  if (old !== undefined) {
    const folder = `${sys}/fs/cgroup/memory${old}`;
    const [max, used] = [
      number(`${folder}/memory.limit_in_bytes`),
      number(`${folder}/memory.usage_in_bytes`),
    ];
    if (max !== null && used !== null) yield { free: max - used + cache(folder), where };
  }
}

/** Files that the kernel would give up before it kills. */
function cache(folder: string): number {
  const file = /^(?:total_)?inactive_file (\d+)$/m.exec(
    readText(`${folder}/memory.stat`) ?? '',
  )?.[1];
  return Number(file ?? 0);
}

function number(path: string): number | null {
  const text = readText(path)?.trim();
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}
