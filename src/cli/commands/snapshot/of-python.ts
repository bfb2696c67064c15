import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from '../../../base/checks.ts';
import { UserError } from '../../../base/errors.ts';
import { LOOK_PARTS, type LookInfo, type LookPart } from '../../../model/run.ts';
import { askInside } from '../../../record/attach/index.ts';
import type { Meanwhile } from '../../../record/run/options.ts';
import type { Target } from './target.ts';

/** A fork writes for as long as it needs; the program goes on. */
const PATIENCE_MS = 1_800_000;
const HEAP_FILE = 'heap/0/python.hwheap';

/** Has a Python program write down all that it holds, and notes what came of it. */
export async function lookIntoPython(
  { pid, startTime }: Target,
  place: Meanwhile,
  attach: boolean,
): Promise<LookInfo> {
  const { folder, socket, run } = place;
  if (socket === null) throw new UserError('there is no socket on which the program could tell');
  mkdirSync(join(folder, 'heap', '0'), { recursive: true });
  const { value, by, heldMs } = await place.beside(pid, () =>
    askInside(pid, 'snapshot', { folder, socket }, PATIENCE_MS, attach),
  );
  const { refused, time, pauseMs, parts } = Object(value) as Record<string, unknown>;
  if (refused !== undefined)
    throw new UserError(`process ${pid} takes no snapshot: ${String(refused)}`);
  if (typeof time !== 'number' || typeof pauseMs !== 'number' || !isObject(parts))
    throw new UserError(`process ${pid} answered something unreadable`);
  const ns = place.since(time);
  const told = LOOK_PARTS.flatMap((name) => (name in parts ? [partOf(name, parts[name])] : []));
  const heap = told.find(({ name }) => name === 'heap');
  if (heap && heap.error === undefined) {
    const { size: bytes } = statSync(join(folder, HEAP_FILE));
    run.heaps = [{ file: HEAP_FILE, ns, pid, runtime: 'python', bytes }];
  }
  return {
    pid,
    startTime,
    ns,
    runtime: 'python',
    by,
    pauseMs: pauseMs + (heldMs ?? 0),
    parts: told,
  };
}

/** What it said of a part. */
function partOf(name: LookPart['name'], said: unknown): LookPart {
  const { error, code, seconds, objects, count, bytes, events } = Object(said) as Record<
    string,
    unknown
  >;
  const figure = (value: unknown) => (typeof value === 'number' ? value : undefined);
  const part: Record<string, unknown> = {
    error: error === undefined ? undefined : errorText(String(error), code),
    count: figure(objects) ?? figure(count),
    bytes: figure(bytes),
    events: figure(events),
  };
  const known = Object.entries(part).filter(([, one]) => one !== undefined);
  return { name, seconds: figure(seconds) ?? 0, ...Object.fromEntries(known) };
}

// Errors of a disk, by the numbers that Linux gives them.
const FULL: Readonly<Record<number, string>> = {
  28: 'no space left on the disk (ENOSPC)',
  122: 'disk quota exceeded (EDQUOT)',
  27: 'a file is as large as files may be here (EFBIG)',
};

const errorText = (error: string, code: unknown) => FULL[Number(code)] ?? error.slice(0, 200);

/** Whether a part is missing as nothing more could be written. */
export const isDiskFull = ({ error }: LookPart): boolean =>
  error !== undefined && Object.values(FULL).includes(error);
