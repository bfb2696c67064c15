import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Device } from './card.ts';

/** Names of cards by their PCI ids, out of the tables that distributions keep. */

const AMDGPU_IDS = ['usr/share/libdrm/amdgpu.ids', 'opt/amdgpu/share/libdrm/amdgpu.ids'];
const PCI_IDS = ['usr/share/misc/pci.ids', 'usr/share/hwdata/pci.ids'];

/** libdrm's table: `7550,	C0,	AMD Radeon RX 9070 XT`; the revision tells products with one chip apart. */
export function amdgpuName(sys: string, { id }: Device, revision: string): string | null {
  const chip = id.split(':')[1] ?? '';
  const wanted = `${chip},${revision}`.toUpperCase();
  for (const line of lines(sys, AMDGPU_IDS)) {
    const [device = '', kind = '', ...name] = line.split(',').map((cell) => cell.trim());
    if (`${device},${kind}`.toUpperCase() === wanted) return name.join(', ');
  }
  return null;
}

/** `Battlemage G21 [Arc B580]`: what is in brackets is what people bought. */
export function pciName(sys: string, { id }: Device, maker: string): string | null {
  const [vendor = '', chip = ''] = id.toLowerCase().split(':');
  let inside = false;
  for (const line of lines(sys, PCI_IDS)) {
    if (/^\S/.test(line)) {
      if (inside) return null;
      inside = line.startsWith(`${vendor} `);
    } else if (inside && line.startsWith(`\t${chip} `)) {
      const name = line.slice(chip.length + 1).trim();
      return `${maker} ${/\[(.+)\]/.exec(name)?.[1] ?? name}`;
    }
  }
  return null;
}

/** Of the first of these files that is there, beside /sys. */
function lines(sys: string, files: readonly string[]): string[] {
  for (const file of files) {
    try {
      return readFileSync(`${dirname(sys)}/${file}`.replace('//', '/'), 'utf8').split('\n');
    } catch {}
  }
  return [];
}
