import { readFileSync, writeFileSync } from 'node:fs';
import { singleValues } from '../analyses/leak/bounded-values.ts';
import { trendEvidence } from '../analyses/leak/trend-evidence.ts';
import { judgeTrend } from '../analyses/leak/trend-rules.ts';
import { formatBytes, parseSize } from '../base/bytes.ts';
import { collector } from './v8/collector.ts';

export interface MemoryLimits {
  /** What the function may add to the process at most, as `24MB` or bytes. */
  readonly peak?: string | number;
  /** `false`: it must not keep memory from call to call. */
  readonly leak?: false;
  /** How often it is called to tell a leak: at least 30, 60 unless told. */
  readonly calls?: number;
}

export interface MemoryFacts {
  /** Resident bytes above those before the call, the kernel's own high-water mark. */
  readonly peakBytes: number;
  /** Live bytes (V8's heap and buffers) that a call leaves; null where leaks were not asked about. */
  readonly bytesPerCall: number | null;
}

const CALLS = 60;
const FEWEST_CALLS = 30;
const WARM_UP_CALLS = 5;

/**
 * Limits inside a test: throws when the function needs more memory than it may, or leaks. Works in any
 * test runner:
 *
 *     await expectMemory(() => train(batch), { peak: '200MB', leak: false });
 */
export async function expectMemory(
  work: () => unknown,
  { peak, leak, calls = CALLS }: MemoryLimits,
): Promise<MemoryFacts> {
  const most = peak === undefined ? Number.POSITIVE_INFINITY : bytesOf(peak);
  if (!(calls >= FEWEST_CALLS))
    throw new RangeError(`calls: at least ${FEWEST_CALLS}, not ${calls}`);
  const peakBytes = await peakOf(work);
  if (peakBytes > most) {
    throw new Error(`memory: ${formatBytes(peakBytes)} at the peak, ${formatBytes(most)} allowed`);
  }
  const bytesPerCall = leak === false ? await leaking(work, calls) : null;
  return { peakBytes, bytesPerCall };
}

const bytesOf = (size: string | number) => (typeof size === 'number' ? size : parseSize(size));

/** The kernel forgets its high-water mark when it is told to, so this one is of the call alone. */
async function peakOf(work: () => unknown): Promise<number> {
  collect();
  const before = process.memoryUsage.rss();
  const exact = resetHighWater();
  await work();
  const after = exact ? status('VmHWM') : null;
  // Where the mark cannot be reset, what is resident at the end is the least that it was.
  return Math.max(0, (after ?? process.memoryUsage.rss()) - before);
}

async function leaking(work: () => unknown, calls: number): Promise<number> {
  for (let call = 0; call < WARM_UP_CALLS; call++) await work();
  const [x, y] = [new Float64Array(calls), new Float64Array(calls)];
  for (let call = 0; call < calls; call++) {
    await work();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    x[call] = call;
    y[call] = heapUsed + external;
  }
  const found = trendEvidence({ ...singleValues(x, y), over: 'iterations' });
  const { verdict, because } = judgeTrend(found);
  if (verdict === 'leak') {
    throw new Error(
      `memory: it leaks ${formatBytes(found.slope)} a call over ${calls} calls: ${because}`,
    );
  }
  return found.slope;
}

function resetHighWater(): boolean {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
    return true;
  } catch {
    return false;
  }
}

function status(name: string): number | null {
  try {
    const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(
      readFileSync('/proc/self/status', 'utf8'),
    );
    return kib ? Number(kib[1]) * 1024 : null;
  } catch {
    return null;
  }
}

let v8: ReturnType<typeof collector> | null = null;
function collect(): void {
  v8 ??= collector();
  if (!v8) throw new Error('V8 does not let its garbage be collected here, so no leak can be told');
  // Twice: buffers of what died at first are let go at the second.
  v8();
  v8();
}
