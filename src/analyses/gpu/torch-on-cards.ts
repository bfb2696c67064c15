import { lastUpTo } from '../../base/search.ts';
import { SECOND_NS } from '../../base/time.ts';
import type { Recording } from '../../model/recording.ts';
import { visibleCards } from './cards-in-use.ts';
import type { Holders } from './holders.ts';
import type { OutsideByProcess } from './outside-told.ts';

/** What torch's allocator told of one device in one process. */
export interface TorchDevice {
  readonly pid: number;
  /** Its number in the words of torch. */
  readonly device: number;
  readonly times: readonly number[];
  readonly allocated: readonly number[];
  readonly reserved: readonly number[];
  /** NaN where torch does not tell. */
  readonly requested: readonly number[];
  /** The most that it ever handed out, by its own counter, with the reading that first told of it and the one before. */
  readonly peak: { readonly bytes: number; readonly fromNs: number; readonly ns: number };
}

/** What a process holds on a card outside torch: its context, and what libraries took. */
export interface OutsideTorch {
  readonly bytes: number;
  readonly ns: number;
}

/** A reading of torch's counters that is further away says nothing of a moment. */
export const NEAR_NS = 2 * SECOND_NS;

/** The readings before and after may be so far apart. */
const STEADY_NS = 2 * SECOND_NS;

/** The readings of torch's counters, found by card and process. */
export class TorchOnCards {
  readonly #byCard = new Map<number, TorchDevice[]>();
  readonly #holders: Holders;
  /** What the processes read of it themselves. */
  readonly told: OutsideByProcess;

  constructor(recording: Recording, holders: Holders, told: OutsideByProcess) {
    this.#holders = holders;
    this.told = told;
    const cardOf = cardFinder(recording, holders);
    for (const [pid, devices] of readings(recording)) {
      for (const [device, told] of devices) {
        const card = cardOf(pid, device, devices.size);
        if (card === null) continue;
        this.#byCard.set(card, [...(this.#byCard.get(card) ?? []), told]);
      }
    }
  }

  of(card: number): readonly TorchDevice[] {
    return this.#byCard.get(card) ?? [];
  }

  /** What torch had reserved in a process, by the reading nearest to a moment; null: none is near. */
  reservedNear(card: number, pid: number, ns: number): number | null {
    const device = this.of(card).find((one) => one.pid === pid);
    if (!device) return null;
    const away = (row: number) => Math.abs(device.times[row]! - ns);
    const [nearest] = [...device.times.keys()].sort((a, b) => away(a) - away(b));
    return nearest !== undefined && away(nearest) <= NEAR_NS ? device.reserved[nearest]! : null;
  }

  /**
   * The driver's figure of a process less what torch had reserved. The two are read at moments of their own: only a
   * reading counts of which the other one was the same before and after, or that the process took of both; the nearest to the moment. null
   * where there is none.
   */
  outside(
    card: number,
    { pid, device, times, reserved }: TorchDevice,
    ns: number,
  ): OutsideTorch | null {
    const looks = this.#holders.of(card, pid);
    const [lookTimes, held] = [looks.map((one) => one.ns), looks.map(({ bytes }) => bytes)];
    const pairs = [
      ...this.told.held(pid, device),
      ...looks.map((look) => {
        return { ns: look.ns, bytes: look.bytes - steadyAt(times, reserved, look.ns) };
      }),
      ...times.map((time, i) => {
        return { ns: time, bytes: steadyAt(lookTimes, held, time) - reserved[i]! };
      }),
    ].filter(({ bytes }) => bytes >= 0);
    return pairs.reduce<OutsideTorch | null>((best, pair) => {
      return !best || Math.abs(pair.ns - ns) < Math.abs(best.ns - ns) ? pair : best;
    }, null);
  }
}

/** What was read just before and just after a moment, where that is the same; else NaN. */
function steadyAt(times: readonly number[], values: readonly number[], ns: number): number {
  const before = lastUpTo(times, ns);
  const steady =
    before >= 0 &&
    before + 1 < times.length &&
    values[before] === values[before + 1] &&
    times[before + 1]! - times[before]! <= STEADY_NS;
  return steady ? values[before]! : Number.NaN;
}

/** Torch numbers the cards that it sees: the only one of a process is its only device; else the order has to be known. */
function cardFinder(
  { run }: Recording,
  holders: Holders,
): (pid: number, device: number, devices: number) => number | null {
  const most = holders.most();
  const allowed = run.gpu ? visibleCards(run.gpu, run.gpus) : () => true;
  const seen = run.gpus.filter(({ index, parent }) => parent === undefined && allowed(index));
  const alike = seen.every(({ name }) => name === seen[0]!.name);
  return (pid, device, devices) => {
    const cards = [...(most.get(pid)?.keys() ?? [])];
    if (cards.length === 1 && devices === 1) return cards[0]!;
    const card = alike || run.gpu?.pciOrder ? seen[device]?.index : undefined;
    return card !== undefined && cards.includes(card) ? card : null;
  };
}

interface Reading {
  allocated: number;
  reserved: number;
  requested: number;
  peak: number;
}

const UNTOLD: Reading = {
  allocated: Number.NaN,
  reserved: Number.NaN,
  requested: Number.NaN,
  peak: Number.NaN,
};

/** By process and torch's own number of the device. */
function readings(recording: Recording): Map<number, Map<number, TorchDevice>> {
  const table = recording.table('counters');
  const [times, pids] = [table.f64('time'), table.u32('pid')];
  const [names, values] = [table.u32('name'), table.f64('value')];
  const wanted = new Map<number, { device: number; what: keyof Reading }>();
  for (const id of new Set(names)) {
    const match = /^torch(\d+)\.(allocated|reserved|requested|peak)$/.exec(recording.text(id));
    if (match) wanted.set(id, { device: Number(match[1]), what: match[2] as keyof Reading });
  }
  const found = new Map<number, Map<number, Map<number, Reading>>>();
  for (let row = 0; row < table.rows; row++) {
    const name = wanted.get(names[row]!);
    if (!name) continue;
    const devices = upsert(found, pids[row]!, () => new Map<number, Map<number, Reading>>());
    const byTime = upsert(devices, name.device, () => new Map<number, Reading>());
    const untold = () => ({ ...UNTOLD });
    upsert(byTime, times[row]!, untold)[name.what] = values[row]!;
  }
  return new Map(
    [...found].map(([pid, devices]) => [
      pid,
      new Map([...devices].map(([device, byTime]) => [device, torchDevice(pid, device, byTime)])),
    ]),
  );
}

function torchDevice(
  pid: number,
  device: number,
  byTime: ReadonlyMap<number, Reading>,
): TorchDevice {
  const rows = [...byTime].filter(([, { allocated, reserved }]) => allocated + reserved >= 0);
  rows.sort(([a], [b]) => a - b);
  let peak = { bytes: 0, fromNs: 0, ns: 0 };
  for (const [i, [ns, told]] of rows.entries()) {
    const bytes = Math.max(told.allocated, told.peak || 0);
    if (bytes > peak.bytes) peak = { bytes, fromNs: rows[i - 1]?.[0] ?? ns, ns };
  }
  return {
    pid,
    device,
    times: rows.map(([ns]) => ns),
    allocated: rows.map(([, told]) => told.allocated),
    reserved: rows.map(([, told]) => told.reserved),
    requested: rows.map(([, told]) => told.requested),
    peak,
  };
}

function upsert<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}
