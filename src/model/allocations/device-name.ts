import { CPU_DEVICE, HOST_DEVICE } from './actions.ts';

/** What programs read: the ordinal, `host` for pinned memory of the host, `cpu` for its ordinary memory. */
export type DeviceId = number | 'host' | 'cpu';

export function deviceId(device: number): DeviceId {
  if (device === HOST_DEVICE) return 'host';
  return device === CPU_DEVICE ? 'cpu' : device;
}

/** What people read. */
export function deviceName(device: DeviceId): string {
  if (device === 'host') return 'pinned host memory';
  return device === 'cpu' ? 'host memory' : `GPU ${device}`;
}
