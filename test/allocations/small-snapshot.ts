import { makeInput } from '../../src/formats/input.ts';
import { torchSnapshot } from '../../src/formats/torch-snapshot/index.ts';
import type { Recording } from '../../src/model/recording.ts';
import { type Plain, pickle, Tuple } from '../support/pickler.ts';

/** One allocation, and the calls that led to it, innermost first: `name path:line`. */
export interface Small {
  readonly size: number;
  readonly calls?: readonly string[];
  readonly tag?: string;
  /** Freed at once, so that it is not there at the peak. */
  readonly freed?: true;
  /** It was asked for, and was not there. */
  readonly oom?: true;
}

export interface SmallOptions {
  readonly settings?: { readonly [key: string]: Plain };
  /** The device's ordinal. */
  readonly device?: number;
  /** Where its memory lies: another address in every process. */
  readonly base?: number;
}

const PAGE = 2 * 1024 ** 2;

/** A snapshot whose peak is its end: everything that is not freed at once. */
export async function smallSnapshot(
  list: readonly Small[],
  { settings = {}, device = 0, base = 2 ** 46 }: SmallOptions = {},
): Promise<Recording> {
  const events: Plain[] = [];
  const blocks: Plain[] = [];
  let at = base;
  for (const { size, calls, tag, freed, oom } of list) {
    const frames = calls?.map(frame);
    const place = { addr: at, size, stream: 0, time_us: 1_790_000_000_000_000 + events.length };
    const more = { ...(frames ? { frames } : {}), user_metadata: tag ?? '' };
    if (oom) {
      events.push({ action: 'oom', ...place, ...more, device_free: 0 });
      continue;
    }
    if (freed) {
      for (const action of ['alloc', 'free_requested', 'free_completed']) {
        events.push({ action, ...place, ...more });
      }
      continue;
    }
    events.push({ action: 'alloc', ...place, ...more });
    const held = { address: at, size: Math.ceil(size / 512) * 512, requested_size: size };
    blocks.push({ ...held, state: 'active_allocated', frames: frames ?? [] });
    at += held.size;
  }
  const total = Math.ceil((at - base) / PAGE) * PAGE;
  const whole = { device, address: base, total_size: total, stream: 0, segment_type: 'large' };
  const traces: Plain[] = Array.from({ length: device + 1 }, () => []);
  traces[device] = [
    { action: 'segment_alloc', addr: base, size: total, stream: 0, time_us: 1_789_999_999_999_999 },
    ...events,
  ];
  const bytes = pickle({
    segments: [{ ...whole, segment_pool_id: new Tuple(0, 0), is_expandable: false, blocks }],
    device_traces: traces,
    allocator_settings: settings,
    external_annotations: [],
  });
  return torchSnapshot.read!(makeInput('small.pickle', () => [bytes]));
}

function frame(text: string): Plain {
  const [, name, filename, line] = /^(\S+) (.*):(\d+)$/.exec(text)!;
  return { name: name!, filename: filename!, line: Number(line) };
}
