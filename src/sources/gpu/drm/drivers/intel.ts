import { numberAt, openOrNull, readText } from '../../../proc.ts';
import type { Device, DeviceFiles, DrmDriver, OpenedDevice } from '../card.ts';
import { entries, fieldOf } from '../devices.ts';
import { pciName } from '../names.ts';

/** Intel's cards and the graphics of its processors, under the two drivers that Linux has for them. */
export const i915: DrmDriver = { name: 'i915', open };
export const xe: DrmDriver = { name: 'xe', open };

/** A card's own memory: xe says vram0, i915 local0. Part of it is set aside at the start (stolen). */
const OWN = /^(vram|local)\d*$/;
const SET_ASIDE = /^stolen(-local\d*)?$/;
/** What graphics without memory of their own take of the machine's. */
const MACHINES = /^(system\d*|gtt|stolen(-system\d*)?)$/;

function open(device: Device, files: DeviceFiles): OpenedDevice {
  const { sys, machine } = device.pci.startsWith(INTEGRATED)
    ? files
    : { sys: files.sys, machine: null };
  const figures = machine ? null : ownMemory(device, files);
  const total = machine
    ? kibibytes(readText(`${machine.proc}/meminfo`) ?? '')
    : (figures?.total ?? Number.NaN);
  return {
    name: pciName(sys, device, 'Intel'),
    uuid: null,
    totalBytes: total,
    notes: notesOn(device, machine !== null, figures),
    ...(figures?.used && {
      read(into) {
        into.used = figures.used!();
        into.total = total;
        into.free = total - into.used;
        into.reserved = Number.NaN;
        return !Number.isNaN(into.used);
      },
    }),
    held,
    close: () => figures?.close(),
  };
}

/** Graphics inside the processor are on the bus of its own devices. */
const INTEGRATED = '0000:00:';

function held(regions: ReadonlyMap<string, number>): number {
  const sum = (...names: RegExp[]) => {
    const of = [...regions].filter(([name]) => names.some((pattern) => pattern.test(name)));
    return of.length > 0 ? of.reduce((all, [, bytes]) => all + bytes, 0) : Number.NaN;
  };
  const own = sum(OWN);
  return Number.isNaN(own) ? sum(MACHINES) : sum(OWN, SET_ASIDE);
}

interface OwnMemory {
  readonly total: number;
  /** NaN where it does not answer; absent where only root is told. */
  readonly used?: () => number;
  close(): void;
}

/** A card's memory by its tiles: what is used is told in debugfs, to root; how much there is also by the control group of device memory. */
function ownMemory({ pci, node }: Device, { sys, machine }: DeviceFiles): OwnMemory {
  const buffer = Buffer.alloc(4096);
  const debug = `${sys}/kernel/debug/dri`;
  const places = [`${debug}/${pci}`, `${debug}/${node.replace(/\D/g, '')}`];
  const files = places.flatMap((place) => tileFiles(place)).slice(0, 1);
  const held = (files[0] ?? []).flatMap((path) => openOrNull(path, buffer) ?? []);
  const field = (name: string) =>
    held.reduce((all, file) => {
      const text = buffer.toString('latin1', 0, Math.max(0, file.read()));
      const at = text.indexOf(`${name}: `);
      return all + (at < 0 ? Number.NaN : numberAt(buffer, at + name.length + 1, text.length));
    }, 0);
  const close = () => {
    for (const file of held) file.close();
  };
  if (held.length > 0) return { total: field('size'), used: () => field('usage'), close };
  return { total: capacity(machine.cgroup, pci), close };
}

/** `tile0/vram_mm`, and before that `vram0_mm` beside the card's other files. */
function tileFiles(place: string): string[][] {
  const names = entries(place);
  const own = names.filter((name) => /^vram\d+_mm$/.test(name)).map((name) => `${place}/${name}`);
  const tiles = names
    .filter((name) => /^tile\d+$/.test(name) && entries(`${place}/${name}`).includes('vram_mm'))
    .map((name) => `${place}/${name}/vram_mm`);
  return [tiles, own].filter((files) => files.length > 0);
}

/** dmem.capacity: `drm/0000:03:00.0/vram0 8514437120`, a line for each tile. */
function capacity(cgroup: string, pci: string): number {
  const lines = readText(`${cgroup}/dmem.capacity`) ?? '';
  const tiles = [0, 1, 2, 3].map((tile) => fieldOf(lines, `drm/${pci}/vram${tile}`));
  const told = tiles.filter((bytes) => bytes !== undefined);
  return told.length > 0 ? told.reduce((all, bytes) => all + Number(bytes), 0) : Number.NaN;
}

function notesOn({ driver }: Device, integrated: boolean, figures: OwnMemory | null): string[] {
  const known =
    'used is what the processes hold that may be looked into, a buffer that several share counted for each';
  if (integrated) return [`has its memory from the machine, and its driver tells no sum: ${known}`];
  if (figures?.used) return [];
  return driver === 'xe'
    ? [`tells what is used in debugfs only, to root: ${known}`]
    : [`has a driver that tells no sum: ${known}`];
}

const kibibytes = (meminfo: string) =>
  Number(/^MemTotal:\s+(\d+) kB$/m.exec(meminfo)?.[1] ?? Number.NaN) * 1024;
