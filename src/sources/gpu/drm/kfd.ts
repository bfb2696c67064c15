import { readlinkSync } from 'node:fs';
import { type HeldFile, numberAt, openOrNull, readText } from '../../proc.ts';
import type { Device, DeviceFiles } from './card.ts';
import { entries, fieldOf } from './devices.ts';

/** The kernel's first view of process ids (PROC_PID_INIT_INO), which these files go by. */
const FIRST_PIDS = 'pid:[4026531836]';
/** A place on the bus: the lowest three bits of a location are its partition. */
const PARTITION_BITS = 3;

/**
 * What programs that compute on AMD's cards were given, as the compute driver (amdkfd) counts it: for everybody to
 * read, where fdinfo is for the same user only. In a container its pids are the host's, and it is left alone.
 */
export class ComputeFiles {
  /** /sys/class/kfd/kfd */
  readonly #root: string;
  /** PCI address, without the function, by the driver's own number of a card or partition. */
  readonly #places = new Map<string, string>();
  /** In the order in which programs number the cards. */
  readonly #order: string[] = [];
  readonly #ownPids: boolean;
  readonly #buffer = Buffer.alloc(64);
  readonly #files = new Map<string, HeldFile>();

  constructor({ sys, machine }: DeviceFiles) {
    this.#root = `${sys}/class/kfd/kfd`;
    const nodes = `${this.#root}/topology/nodes`;
    for (const node of entries(nodes).sort((a, b) => Number(a) - Number(b))) {
      const number = readText(`${nodes}/${node}/gpu_id`)?.trim();
      const properties = readText(`${nodes}/${node}/properties`) ?? '';
      const location = Number(fieldOf(properties, 'location_id'));
      if (!number || number === '0' || Number.isNaN(location)) continue;
      const place = placeOf(Number(fieldOf(properties, 'domain') ?? 0), location);
      this.#places.set(number, place);
      this.#order.push(place);
    }
    this.#ownPids = pidsAreOurs(machine.proc);
  }

  /** Whether it tells of this card, and the pids in it are those that we see; null where it knows no such card. */
  readonly tells = (device: Device): boolean | null =>
    this.rank(device) < this.#order.length ? this.#ownPids : null;

  /** Where programs have this card in their count; after all others where they do not compute on it. */
  rank(device: Device): number {
    const at = this.#order.indexOf(withoutFunction(device.pci));
    return at < 0 ? this.#order.length : at;
  }

  /** Bytes by pid and device. */
  *read(devices: readonly Device[]): Generator<[device: Device, pid: number, bytes: number]> {
    if (!this.#ownPids || this.#places.size === 0) return;
    const gone = new Set(this.#files.keys());
    for (const pid of entries(`${this.#root}/proc`)) {
      for (const [number, place] of this.#places) {
        const device = devices.find(({ pci }) => withoutFunction(pci) === place);
        const bytes = device && this.#bytes(`${this.#root}/proc/${pid}/vram_${number}`, gone);
        if (bytes) yield [device, Number(pid), bytes];
      }
    }
    for (const path of gone) this.#close(path);
  }

  close(): void {
    for (const path of [...this.#files.keys()]) this.#close(path);
  }

  #bytes(path: string, gone: Set<string>): number {
    gone.delete(path);
    let file = this.#files.get(path);
    if (!file) {
      const opened = openOrNull(path, this.#buffer);
      if (!opened) return 0;
      file = opened;
      this.#files.set(path, file);
    }
    const length = file.read();
    if (length <= 0) this.#close(path);
    return length > 0 ? numberAt(this.#buffer, 0, length) || 0 : 0;
  }

  #close(path: string): void {
    this.#files.get(path)?.close();
    this.#files.delete(path);
  }
}

function placeOf(domain: number, location: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  const [bus, slot] = [(location >> 8) & 0xff, (location & 0xff) >> PARTITION_BITS];
  return `${hex(domain, 4)}:${hex(bus, 2)}:${hex(slot, 2)}`;
}

const withoutFunction = (pci: string) => pci.split('.')[0]!;

function pidsAreOurs(proc: string): boolean {
  try {
    return readlinkSync(`${proc}/self/ns/pid`) === FIRST_PIDS;
  } catch {
    return false;
  }
}
