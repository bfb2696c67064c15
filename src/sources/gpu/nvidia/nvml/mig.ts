import type { Handle, Nvml } from './binding.ts';

/** A card cut into slices (MIG). */
export interface Slices {
  readonly on: boolean;
  readonly handles: readonly Handle[];
  readonly parent?: number;
}

const NONE: Slices = { on: false, handles: [] };

/** The slices of a card; cards and libraries that know no such thing have none. */
export function slicesOf(nvml: Nvml, card: Handle): Slices {
  const mode = nvml.optional('nvmlDeviceGetMigMode', 'uintptr_t device, void *now, void *pending');
  const now = new Uint32Array(1);
  if (mode?.(card, now, new Uint32Array(1)) !== 0 || now[0] !== 1) return NONE;
  const most = nvml.number(
    nvml.optional('nvmlDeviceGetMaxMigDeviceCount', 'uintptr_t device, void *count'),
    card,
  );
  const byIndex = nvml.optional(
    'nvmlDeviceGetMigDeviceHandleByIndex',
    'uintptr_t device, unsigned int index, void *slice',
  );
  const places = 'value' in most ? most.value : 0;
  const handles = Array.from({ length: places }, (_, i) => nvml.handle(byIndex, card, i));
  return { on: true, handles: handles.flatMap((found) => ('handle' in found ? found.handle : [])) };
}
