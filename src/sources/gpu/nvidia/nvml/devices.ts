import type { GpuCard } from '../../../../model/run.ts';
import type { CardMemory } from '../../backend.ts';
import type { ListedCard } from '../../process-rounds.ts';
import type { Handle, Nvml } from './binding.ts';
import { MemoryReader } from './card-queries.ts';
import { CODE } from './constants.ts';
import type { MachineMemory } from './machine-memory.ts';

/** A card, or a slice of one (MIG), with what it takes to read it. */
export interface NvmlDevice extends ListedCard {
  readonly handle: Handle;
  /** Whether the library tells reserved memory apart for it. */
  readonly separates: boolean;
  /** It has no memory of its own, and takes the machine's. */
  readonly unified: boolean;
}

export interface NvmlDevices {
  readonly devices: readonly NvmlDevice[];
  readonly driver: string;
  readonly memory: MemoryReader;
}

const DEVICE = 'uintptr_t device';

/** Every card of the machine that the library lets us see, slices after the cards. */
export function findDevices(nvml: Nvml, machine: MachineMemory): NvmlDevices {
  const memory = new MemoryReader(nvml);
  const describe = describer(nvml, memory, machine);
  const byIndex =
    nvml.optional('nvmlDeviceGetHandleByIndex_v2', 'unsigned int index, void *device') ??
    nvml.optional('nvmlDeviceGetHandleByIndex', 'unsigned int index, void *device');
  const cards: NvmlDevice[] = [];
  const slices: Slices[] = [];
  for (let index = 0; index < countCards(nvml); index++) {
    const found = nvml.handle(byIndex, index);
    if ('code' in found) {
      cards.push(withoutHandle(index, nvml.errorText(found.code)));
      continue;
    }
    const own = slicesOf(nvml, found.handle);
    slices.push({ ...own, parent: index });
    cards.push(describe(found.handle, { index, ...(own.on && { mig: true }) }, !own.on));
  }
  const cut = slices.flatMap(({ handles, parent }) =>
    handles.map((handle) => ({ handle, parent })),
  );
  const pieces = cut.map(({ handle, parent }, i) =>
    describe(handle, { index: cards.length + i, parent }, true),
  );
  const version = nvml.optional('nvmlSystemGetDriverVersion', 'void *text, unsigned int length');
  return { devices: [...cards, ...pieces], driver: nvml.text(version) ?? '', memory };
}

function countCards(nvml: Nvml): number {
  const call =
    nvml.optional('nvmlDeviceGetCount_v2', 'void *count') ??
    nvml.optional('nvmlDeviceGetCount', 'void *count');
  const count = nvml.number(call);
  return 'value' in count ? count.value : 0;
}

type Place = Pick<GpuCard, 'index' | 'parent' | 'mig'>;

function describer(nvml: Nvml, memory: MemoryReader, machine: MachineMemory) {
  const uuid = nvml.optional('nvmlDeviceGetUUID', `${DEVICE}, void *text, unsigned int length`);
  const name = nvml.optional('nvmlDeviceGetName', `${DEVICE}, void *text, unsigned int length`);
  const minor = nvml.optional('nvmlDeviceGetMinorNumber', `${DEVICE}, void *minor`);
  return (handle: Handle, place: Place, listsProcesses: boolean): NvmlDevice => {
    const separates = memory.separates(handle);
    const figures: CardMemory = { used: 0, reserved: 0, free: 0, total: 0 };
    const code = memory.read(handle, separates, figures);
    const whole = !place.mig && place.parent === undefined;
    const unified = whole && machine.isThatOf(code, figures.total);
    const file = nvml.number(minor, handle);
    const card: GpuCard = {
      ...place,
      uuid: nvml.text(uuid, handle) ?? '',
      name: nvml.text(name, handle) ?? 'unknown',
      memoryBytes: unified ? machine.total || 0 : code === CODE.ok ? figures.total : 0,
      ...('value' in file && place.parent === undefined && { minor: file.value }),
      ...(code !== CODE.ok &&
        !unified && { reason: `the driver tells no memory of it: ${nvml.errorText(code)}` }),
    };
    return { card, handle, separates: separates && !unified, unified, listsProcesses };
  };
}

/** A card that fell off the bus before we came: named, not hidden. */
function withoutHandle(index: number, why: string): NvmlDevice {
  const reason = `the driver gives no access to it: ${why}`;
  const card = { index, uuid: '', name: 'unknown', memoryBytes: 0, reason };
  return { card, handle: 0, separates: false, unified: false, listsProcesses: false };
}

/** A card cut into slices (MIG). */
interface Slices {
  readonly on: boolean;
  readonly handles: readonly Handle[];
  readonly parent?: number;
}

const NONE: Slices = { on: false, handles: [] };

/** The slices of a card; cards and libraries that know no such thing have none. */
function slicesOf(nvml: Nvml, card: Handle): Slices {
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
