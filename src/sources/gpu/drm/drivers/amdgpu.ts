import { closeSync, openSync, readSync } from 'node:fs';
import { HeldFile, numberAt, readText } from '../../../proc.ts';
import type { Device, DeviceFiles, DrmDriver, OpenedDevice } from '../card.ts';
import { numberIn } from '../devices.ts';
import { amdgpuName, pciName } from '../names.ts';

/** AMD's cards, and the graphics of its processors (APUs), whose memory is the machine's: most of it is GTT there. */
export const amdgpu: DrmDriver = { name: 'amdgpu', open };

/** MI300A: which part of its memory the kernel takes for VRAM and which for GTT, no published listing shows. */
const MI300A = '1002:74A0';

function open(device: Device, { sys }: DeviceFiles): OpenedDevice {
  const { folder } = device;
  const format = metricsFormat(device);
  const apu = format === 2 || format === 3;
  const total =
    numberIn(`${folder}/mem_info_vram_total`) +
    (apu ? numberIn(`${folder}/mem_info_gtt_total`) : 0);
  const buffer = Buffer.alloc(64);
  const files: HeldFile[] = [];
  try {
    files.push(new HeldFile(`${folder}/mem_info_vram_used`, buffer));
    if (apu) files.push(new HeldFile(`${folder}/mem_info_gtt_used`, buffer));
  } catch {}
  const told = files.length === (apu ? 2 : 1);
  const serial = readText(`${folder}/unique_id`)?.trim();
  return {
    name: nameOf(sys, device),
    uuid: serial && /^[0-9a-f]{16}$/i.test(serial) ? `GPU-${serial.toLowerCase()}` : null,
    totalBytes: total,
    ...(!told && {
      reason: `its kernel driver tells no memory (${folder}/mem_info_vram_used cannot be read; Linux 5.1 and newer have it)`,
    }),
    notes: notesOn(device, apu, format !== undefined),
    read(into) {
      let used = 0;
      for (const file of files) {
        const length = file.read();
        used += length > 0 ? numberAt(buffer, 0, length) : Number.NaN;
      }
      into.used = used;
      into.total = total;
      into.free = total - used;
      into.reserved = Number.NaN;
      return !Number.isNaN(used);
    },
    held: (regions) =>
      (regions.get('vram') ?? Number.NaN) + (apu ? (regions.get('gtt') ?? Number.NaN) : 0),
    close() {
      for (const file of files) file.close();
    },
  };
}

/** The table of sensors (gpu_metrics) has a format of its own for APUs: 2 and 3, where cards have 1. */
const metricsFormat = ({ folder }: Device) => byteOf(`${folder}/gpu_metrics`, 2);

function byteOf(path: string, at: number): number | undefined {
  const head = Buffer.alloc(at + 1);
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    return readSync(fd, head, 0, head.length, 0) > at ? head[at] : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

function nameOf(sys: string, device: Device): string | null {
  const product = readText(`${device.folder}/product_name`)?.trim();
  if (product) return /^AMD\b/.test(product) ? product : `AMD ${product}`;
  const revision = readText(`${device.folder}/revision`)?.trim().replace(/^0x/, '') ?? '';
  return amdgpuName(sys, device, revision) ?? pciName(sys, device, 'AMD');
}

function notesOn({ folder, id }: Device, apu: boolean, told: boolean): string[] {
  const notes: string[] = [];
  if (!told) {
    notes.push(
      'may be an APU, which this kernel does not tell (no gpu_metrics; Linux 5.10 and newer have it): what such a one takes of the machine as GTT is not counted',
    );
  }
  if (apu) {
    notes.push(
      'has its memory from the machine: used is what it set aside (VRAM) and what it took since (GTT)',
    );
  }
  if (id.toUpperCase() === MI300A) {
    notes.push(
      'is a processor too: what its driver counts as GTT is not in these figures, and may be most of it',
    );
  }
  const compute = readText(`${folder}/current_compute_partition`)?.trim();
  const memory = readText(`${folder}/current_memory_partition`)?.trim();
  if (compute && compute !== 'SPX') {
    const how = memory ? `${compute}, memory ${memory}` : compute;
    notes.push(`is in partitions (${how}), which are measured together as one card`);
  }
  return notes;
}
