import type { GrowthBreakdown } from './growth-breakdown.ts';
import type { ObjectGrowth } from './object-growth.ts';
import type { TensorGrowth } from './tensor-growth.ts';

/** A figure that the kind of a leak rests on. */
export interface KindEvidence {
  /** A series (`malloc.in_use`), `tensors [64] float32` or `dict of str`. */
  readonly name: string;
  readonly unit: 'bytes' | 'count';
  /** How much of it, for each iteration or second, or left behind by the whole run. */
  readonly amount: number;
  readonly per: 'iteration' | 'second' | 'step' | 'run';
  /** Of tensors, objects and files: how many there were in the end, what made them, what holds them. */
  readonly count: number | null;
  readonly madeBy: string | null;
  readonly holder: string | null;
}

const plain = { count: null, madeBy: null, holder: null };

export const bytes = (name: string, amount: number, per: KindEvidence['per']): KindEvidence => ({
  ...plain,
  name,
  unit: 'bytes',
  amount,
  per,
});

/** Whatever was measured, so that one also sees what does not grow. */
const FIGURES = [
  ...['pss', 'rss', 'anon', 'file', 'shmem', 'shm.used', 'malloc.in_use', 'malloc.free'],
  ...['pinned.allocated', 'pinned.reserved', 'v8.held_heap', 'v8.held_external'],
];
const COUNTS = ['python.blocks', 'tensors.with_graph', 'os.threads', 'os.files'];

export function figures({ rates, per, device }: GrowthBreakdown): KindEvidence[] {
  const named = [...FIGURES, 'tensors.bytes'];
  const onDevice = device ? [`${device}.allocated`, `${device}.reserved`] : [];
  const find = (unit: KindEvidence['unit']) => (name: string) => {
    const amount = rates.get(name);
    return amount === undefined ? [] : [{ ...plain, name, unit, amount, per }];
  };
  return [...[...onDevice, ...named].flatMap(find('bytes')), ...COUNTS.flatMap(find('count'))];
}

/** Files in shared memory that stayed. */
export function fileEvidence({
  pattern,
  files,
  bytes: amount,
}: {
  readonly pattern: string;
  readonly files: number;
  readonly bytes: number;
}): KindEvidence {
  return { ...bytes(`/dev/shm/${pattern}`, amount, 'run'), count: files };
}

/** As agents call the device of a tensor in pinned memory of the host. */
export const PINNED = 'cpu pinned';

export function tensorEvidence(group: TensorGrowth, { per }: GrowthBreakdown): KindEvidence {
  const { shape, dtype, device, madeBy, holder, count, countRate } = group;
  const place = device === 'cpu' ? '' : device === PINNED ? ', pinned' : ` on ${device}`;
  return {
    name: `tensors ${shape} ${dtype}${place}`,
    unit: 'count',
    amount: countRate,
    per,
    count,
    madeBy: madeBy || null,
    holder: holder || null,
  };
}

/** `nodes of the graph that total of __main__ keeps`. */
export function graphEvidence(one: ObjectGrowth, { per }: GrowthBreakdown): KindEvidence {
  const { name, holder, count, countRate } = one;
  const nodes = { name: 'nodes of one graph', unit: 'count', amount: countRate, per } as const;
  return { ...nodes, count, madeBy: name, holder };
}

export function objectEvidence(one: ObjectGrowth, { per }: GrowthBreakdown): KindEvidence {
  const { kind, name, of, holder, count, countRate, bytesRate } = one;
  const contents = of ? ` of ${of}` : '';
  return {
    name: kind === 'type' ? `objects of type ${name}` : `${name}${contents}`,
    unit: kind === 'type' ? 'count' : 'bytes',
    amount: kind === 'type' ? countRate : bytesRate,
    per,
    count,
    madeBy: null,
    holder: holder || null,
  };
}
