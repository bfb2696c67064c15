import { readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../proc.ts';
import type { Machine } from '../../source.ts';
import type { Device } from './card.ts';

/** Where sysfs is: `HIGHWATER_SYS` names a host's that is mounted elsewhere. Control groups are mounted in it, at fs/cgroup. */
export function sysOf(machine: Machine): string {
  return process.env.HIGHWATER_SYS || join(machine.cgroup, '../..');
}

/** Graphics devices on the PCI bus, by their addresses. Partitions of a card are platform devices: their card stands for them. */
export function findDevices(sys: string): Device[] {
  const drm = `${sys}/class/drm`;
  const devices = entries(drm)
    .filter((node) => /^card\d+$/.test(node))
    .flatMap((node) => describe(drm, node) ?? []);
  return devices.sort((a, b) => (a.pci < b.pci ? -1 : 1));
}

function describe(drm: string, node: string): Device | null {
  let folder: string;
  try {
    folder = realpathSync(`${drm}/${node}/device`);
  } catch {
    return null; // pulled out in the meantime
  }
  const event = readText(`${folder}/uevent`) ?? '';
  const field = (name: string) => new RegExp(`^${name}=(\\S+)$`, 'm').exec(event)?.[1];
  const pci = field('PCI_SLOT_NAME')?.toLowerCase();
  const driver = field('DRIVER');
  if (!pci || !driver) return null;
  return { node, folder, pci, id: field('PCI_ID') ?? '', driver };
}

/** Its device files, as links in /proc/PID/fd end: `card1`, `renderD128`. */
export function nodesOf(device: Device): string[] {
  return [device.node, ...entries(`${device.folder}/drm`).filter((name) => /^renderD/.test(name))];
}

/** Names in a folder; none where it is not there. */
export function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A whole number alone in a file; NaN where there is none. */
export function numberIn(path: string): number {
  const text = readText(path)?.trim() ?? '';
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** A word of a file of lines `name value`. */
export function fieldOf(lines: string, name: string): string | undefined {
  return new RegExp(`^${name} (\\S+)$`, 'm').exec(lines)?.[1];
}
