import type { GpuCard } from '../../../model/run.ts';
import type { Machine } from '../../source.ts';
import type { CardMemory } from '../backend.ts';
import type { ListedCard } from '../process-rounds.ts';

/** A graphics device of this machine, as sysfs shows it. */
export interface Device {
  /** `card1` in /sys/class/drm. */
  readonly node: string;
  /** Its PCI device's folder. */
  readonly folder: string;
  /** 0000:03:00.0 */
  readonly pci: string;
  /** PCI_ID, `1002:744C`. */
  readonly id: string;
  readonly driver: string;
}

/** Where the kernel shows its devices, beside the machine's processes. */
export interface DeviceFiles {
  readonly machine: Machine;
  /** /sys */
  readonly sys: string;
}

/** A kernel driver whose files tell memory. */
export interface DrmDriver {
  /** As the kernel calls it. */
  readonly name: string;
  open(device: Device, files: DeviceFiles): OpenedDevice;
}

/** How a device's memory is read. */
export interface OpenedDevice {
  /** `AMD Radeon RX 7900 XTX`; null where nothing names it. */
  readonly name: string | null;
  /** What names this very card anywhere; null where its files do not. */
  readonly uuid: string | null;
  /** NaN where the driver does not tell. */
  readonly totalBytes: number;
  /** Why there are no figures of it. */
  readonly reason?: string;
  /** What limits the meaning of its figures: each follows "GPU 0 (NAME)". */
  readonly notes: readonly string[];
  /** Reads the card's memory; false where it does not answer. Absent where the driver tells no sum: then it is what the processes hold. */
  readonly read?: (into: CardMemory) => boolean;
  /** What a client holds on it, in bytes; NaN where this kernel does not tell. */
  held(regions: ReadonlyMap<string, number>): number;
  close(): void;
}

/** A device as a card of the recording. */
export interface DrmCard extends ListedCard {
  readonly card: GpuCard;
  readonly device: Device;
  readonly opened: OpenedDevice;
}
