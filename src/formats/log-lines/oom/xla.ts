import type { OomFigures } from '../../../model/out-of-memory.ts';
import { integer, type Message, size } from './message.ts';

/** XLA (JAX, PyTorch/XLA) and TensorFlow: they share allocators and words. */
export const XLA: readonly Message[] = [
  {
    source: 'jax',
    place: 'gpu',
    when: /Ran out of memory in memory space (?:hbm|vmem|smem)/,
    read: memorySpace,
    more: 6,
  },
  {
    source: 'jax',
    place: 'gpu',
    when: /Attempting to (?:reserve|allocate) [\d.]{1,12}[KMGT]?B? (?:at the bottom of memory|\. That was not possible)|Attempting to allocate [\d.]{1,12}[KMGT]\. That was not possible/,
    read: (text) => ({
      asked: size(text, /Attempting to (?:reserve|allocate) SIZE/),
      free: size(text, /There are SIZE free/),
      total: size(text, /HBM capacity SIZE/),
      allocated: size(text, /Currently allocated: {1,20}SIZE/),
      // A device of an accelerator's own memory has no other users.
      reservedUnused: 0,
    }),
    more: 8,
  },
  {
    source: 'tensorflow',
    place: 'gpu',
    when: /\bOOM when allocating tensor with shape|Allocator \(\w{1,30}\) ran out of memory trying to allocate/,
    read: tensorflow,
  },
  {
    source: 'jax',
    place: 'gpu',
    when: /RESOURCE_EXHAUSTED: .{0,80}(?:[Oo]ut of memory|[Aa]llocat|Attempting to (?:reserve|allocate))|XlaRuntimeError: RESOURCE_EXHAUSTED|JaxRuntimeError: RESOURCE_EXHAUSTED/,
    read: (text) => ({
      asked:
        size(text, /(?:allocate|allocating|reserve) (?:tensor of )?SIZE/) ??
        size(text, /to allocate (?:tensor of )?SIZE/),
      free: size(text, /There (?:are|is) SIZE free/),
      ...memorySpace(text),
    }),
  },
  {
    source: 'xla',
    place: 'gpu',
    when: /failed to alloc(?:ate)? .{1,60} from device: (?:CUDA_ERROR_OUT_OF_MEMORY|hipError)|Failed to allocate request for .{1,60} on device ordinal/,
    read: (text) => ({
      asked: size(text, /\(SIZE\)/) ?? size(text, /alloc(?:ate)? SIZE/),
      gpu: integer(text, /device ordinal (\d{1,4})/),
    }),
  },
];

function memorySpace(text: string): Partial<OomFigures> {
  const used = size(text, /Used SIZE of /);
  const total = size(text, /Used \S{1,20} of SIZE/);
  return used === undefined || total === undefined ? {} : { asked: used, total };
}

function tensorflow(text: string): Partial<OomFigures> {
  const shape = /with shape ?(\[[\d,]{0,120}\])(?: and type (\w{1,20}))?/.exec(text);
  const device = /device:(GPU|CPU):(\d{1,4})|\((?:GPU|CPU)_(\d{1,4})_/.exec(text);
  const onHost = device ? /CPU/.test(device[0]) : /\bby allocator (?:cpu|mklcpu)\b/.test(text);
  return {
    shape: shape ? [shape[1], shape[2]].filter(Boolean).join(' ') : undefined,
    asked: size(text, /trying to allocate SIZE/) ?? bytesOfShape(shape?.[1], shape?.[2]),
    gpu: device && !onHost ? Number(device[2] ?? device[3]) : integer(text, /\bGPU_(\d{1,4})_bfc/),
    ...(onHost ? { place: 'host' as const, gpu: undefined } : {}),
  };
}

const ITEM_BYTES: Readonly<Record<string, number>> = {
  ...{
    bool: 1,
    int8: 1,
    uint8: 1,
    qint8: 1,
    half: 2,
    float16: 2,
    bfloat16: 2,
    int16: 2,
    uint16: 2,
  },
  ...{ float: 4, float32: 4, int32: 4, uint32: 4, double: 8, float64: 8, int64: 8, uint64: 8 },
  ...{ complex64: 8, complex128: 16 },
};

function bytesOfShape(shape: string | undefined, type: string | undefined): number | undefined {
  const each = type === undefined ? undefined : ITEM_BYTES[type];
  if (shape === undefined || each === undefined) return undefined;
  const bytes = shape
    .slice(1, -1)
    .split(',')
    .reduce((product, length) => product * Number(length || 1), each);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
