import { ACTION, ACTION_NAMES, NO_ID } from '../../model/allocations/actions.ts';
import { addressText } from '../../model/allocations/address-book.ts';
import { curve } from '../../model/allocations/curve.ts';
import { deviceId } from '../../model/allocations/device-name.ts';
import { type Pool, poolsOf, tagText } from '../../model/allocations/names.ts';
import { frameText, stackPath } from '../../model/allocations/stack-path.ts';
import { type DeviceTrace, traces } from '../../model/allocations/trace.ts';
import { origin } from '../../model/origin.ts';
import type { Recording } from '../../model/recording.ts';
import { type CellText, numberText, quote, rows, secondsText } from './write.ts';

const TITLES = [
  ...['seconds', 'device', 'event', 'action', 'address', 'size', 'requested', 'reserved'],
  ...['stream', 'pool', 'tag', 'stack'],
];

/**
 * Allocation events for a spreadsheet: words in place of codes and rows of other tables, and what
 * was requested and reserved after each. Too wide to be read back; the table `allocations` is for that.
 */
export function* writeEvents(recording: Recording): Generator<string> {
  let titles: readonly string[] = TITLES;
  for (const trace of traces(recording)) {
    yield* rows(titles, cellsOf(recording, trace), trace.events);
    titles = [];
  }
}

function cellsOf(recording: Recording, trace: DeviceTrace): CellText[] {
  const { times, actions, sizes, addresses, addressBook, firstEvent } = trace;
  const zero = origin(recording).ns;
  const device = String(deviceId(trace.device));
  const { requested, reserved } = curve(trace);
  const pools = poolsOf(recording);
  const pool = (event: number): Pool | undefined => pools[trace.pools[event]!];
  const tag = remembered(trace.tags, (id) => quote(tagText(recording, id)));
  const stack = remembered(trace.stacks, (id) => quote(stackText(recording, id)));
  const isPlaced = (event: number) => actions[event] !== ACTION.oom;
  return [
    (event) => secondsText(times[event]! - zero),
    () => device,
    (event) => String(firstEvent + event),
    (event) => ACTION_NAMES[actions[event]!] ?? '',
    (event) => (isPlaced(event) ? addressText(addressBook, addresses[event]!) : ''),
    (event) => numberText(sizes[event]!),
    (event) => numberText(requested[event]!),
    (event) => numberText(reserved[event]!),
    (event) => pool(event)?.stream ?? '',
    (event) => pool(event)?.pool?.join(':') ?? '',
    tag,
    stack,
  ];
}

/** Outermost first; nothing where no stack was recorded. */
function stackText(recording: Recording, stack: number): string {
  return stack === NO_ID ? '' : stackPath(recording, stack, NO_ID).map(frameText).join(';');
}

/** Ids are few and come again and again: each text is made once. */
function remembered(ids: Uint32Array, text: (id: number) => string): CellText {
  const known = new Map<number, string>();
  return (event) => {
    const id = ids[event]!;
    let found = known.get(id);
    if (found === undefined) {
      found = text(id);
      known.set(id, found);
    }
    return found;
  };
}
