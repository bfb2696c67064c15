import { mkdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { partitionOf, tableOf } from '../../../analyses/heap/index.ts';
import { describeError, UserError } from '../../../base/errors.ts';
import { writeSizes } from '../../../model/disk/sizes-file.ts';
import type { LookInfo, LookPart } from '../../../model/run.ts';
import { openHeap } from '../../../open/heaps.ts';
import type { Meanwhile } from '../../../record/run/options.ts';
import { answersTo, askAgent } from '../../../sources/agent/ask.ts';
import { PROTOCOL_VERSION } from '../../../sources/agent/protocol.ts';
import { takeNodeHeap } from '../../../sources/inspector/index.ts';
import type { Target } from './target.ts';

const PATIENCE_MS = 600_000;
const HEAP_FILE = 'heap/0/v8.heapsnapshot';
const MOST_TYPES = 40;

/** A Node program's heap, by its agent or its inspector, and what its objects are. V8 stands still while it writes. */
export async function lookIntoNode(
  { pid, startTime }: Target,
  place: Meanwhile,
  { attach, force }: { readonly attach: boolean; readonly force: boolean },
): Promise<LookInfo> {
  const { folder, run } = place;
  const file = join(folder, HEAP_FILE);
  mkdirSync(dirname(file), { recursive: true });
  const byAgent = await answersTo(pid, 'heap');
  if (!byAgent && !attach) {
    throw new UserError(`no agent speaks in process ${pid} that could write its heap`, {
      hint: 'start it with: highwater record --heap 1 -- …, or leave --no-attach out',
    });
  }
  // Before the heap: V8 makes the process larger as it writes one.
  const sizes = await sizesPart(pid, folder);
  let ns = place.now();
  const onBegin = () => {
    ns = place.now();
  };
  const { bytes, pauseMs } = byAgent
    ? ((await askAgent(pid, 'heap', { file, force }, PATIENCE_MS)) as Taken)
    : await takeNodeHeap(pid, file, { force, onBegin });
  run.heaps = [{ file: HEAP_FILE, ns, pid, runtime: 'v8', bytes }];
  const parts = [sizes, await heapPart(file, pid, place, ns)];
  return {
    pid,
    startTime,
    ns,
    runtime: 'v8',
    by: byAgent ? 'agent' : 'inspector',
    pauseMs,
    parts: parts.filter((part) => part !== null),
  };
}

interface Taken {
  readonly bytes: number;
  readonly pauseMs: number;
}

/** Only an agent can tell what explains its size; null: there is none. */
async function sizesPart(pid: number, folder: string): Promise<LookPart | null> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  if (!(await answersTo(pid, 'sizes'))) return null;
  try {
    writeSizes(folder, [{ at: 'now', rank: null, value: await askAgent(pid, 'sizes') }]);
    return { name: 'sizes', seconds: seconds() };
  } catch (error) {
    return { name: 'sizes', seconds: seconds(), error: describeError(error) };
  }
}

/** What the heap is made of goes into the recording's tables, where a comparison finds it. */
async function heapPart(
  file: string,
  pid: number,
  place: Meanwhile,
  ns: number,
): Promise<LookPart> {
  const began = performance.now();
  const { heap } = await openHeap(file, { light: true });
  const table = tableOf(partitionOf(heap!, heap!.objects, 'kind'), { limit: MOST_TYPES });
  const rows = table.rows.map(({ kind, count, size }) => ['type', kind, '', '', count, 0, 0, size]);
  const time = Number(process.hrtime.bigint()) - (place.now() - ns);
  await tell(place.socket, [
    { type: 'hello', version: PROTOCOL_VERSION, pid, language: 'node', rank: null, answers: [] },
    { type: 'objects', time, rows },
    { type: 'bye', dropped: 0 },
  ]);
  const seconds = (performance.now() - began) / 1000;
  return { name: 'heap', seconds, count: table.count, bytes: table.size };
}

/** As an agent in the program would. */
function tell(socket: string | null, messages: readonly object[]): Promise<void> {
  if (socket === null) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const connection = createConnection(socket, () =>
      connection.end(messages.map((one) => `${JSON.stringify(one)}\n`).join('')),
    );
    connection.once('error', reject).once('close', () => resolve());
  });
}
