import type { Measured, MeasuredPart } from './measured.ts';
import type { Planned, PlannedPart } from './planned.ts';

/** Parts of a plan against what was measured of them together. */
export interface Comparison {
  readonly name: string;
  /** Sum over what is known; null: nothing of it was planned. */
  readonly plannedBytes: number | null;
  readonly plannedFrom: readonly string[];
  readonly measuredBytes: number;
  readonly measuredFrom: string;
  /** Measured less planned; what was not planned counts in full. */
  readonly differenceBytes: number;
}

type What = PlannedPart['what'];

/** Tensors that stay are weights and pool in one: an allocator does not know which is which. */
const GROUPS: readonly {
  readonly name: string;
  readonly parts: readonly What[];
  readonly measured: readonly MeasuredPart['what'][];
}[] = [
  {
    name: 'weights and KV pool',
    parts: ['weights', 'kv', 'state', 'output'],
    measured: ['stays'],
  },
  {
    name: 'activations',
    parts: ['activations', 'compute', 'activations-graphs'],
    measured: ['work'],
  },
  {
    name: 'graphs, outside torch, kept unused',
    parts: ['graphs', 'outside', 'other', 'weights-outside'],
    measured: ['unused', 'outside'],
  },
];

/** Where a process was measured: group by group where its allocator told, else as a whole. */
export function compared(planned: Planned, measured: Measured | null): Comparison[] {
  if (!measured) return [];
  const onHost = measured.place === 'host';
  // A plan without a card is of the host's memory, whatever it calls its devices.
  const parts = planned.parts.filter(
    (part) => part.planned && (onHost ? planned.hostBytes === null || part.onHost : !part.onHost),
  );
  const [first] = measured.parts;
  if (measured.parts.length === 1) {
    return [comparison('all of it', parts, first!.bytes, first!.from)];
  }
  // Told as one: then only the sum of both groups can be held against anything.
  const asOne = parts.some(({ what }) => what === 'weights-outside');
  const groups = asOne ? [GROUPS[1]!, joined(GROUPS[0]!, GROUPS[2]!)] : GROUPS;
  return groups.flatMap((group) => {
    const own = parts.filter(({ what }) => group.parts.includes(what));
    const found = measured.parts.filter(({ what }) => group.measured.includes(what));
    const bytes = found.reduce((sum, part) => sum + part.bytes, 0);
    return group === GROUPS[2]
      ? rest(own, planned, found)
      : [comparison(group.name, own, bytes, found.map(({ from }) => from).join('; '))];
  });
}

const joined = (a: (typeof GROUPS)[number], b: (typeof GROUPS)[number]) => ({
  name: 'weights, KV pool, graphs, outside torch, kept unused',
  parts: [...a.parts, ...b.parts],
  measured: [...a.measured, ...b.measured],
});

/** What graphs took is known by the engine's own measure, if at all: the card's free memory before and after. */
function rest(
  parts: readonly PlannedPart[],
  planned: Planned,
  found: readonly MeasuredPart[],
): Comparison[] {
  const bytes = found.reduce((sum, part) => sum + part.bytes, 0);
  const from = found.map((part) => part.from).join('; ');
  const taken = planned.parts.find(({ what, taken }) => what === 'graphs' && taken)?.taken;
  if (!taken || taken.bytes <= 0 || taken.bytes > bytes)
    return [comparison(GROUPS[2]!.name, parts, bytes, from)];
  const graphs = parts.filter(({ what }) => what === 'graphs');
  const others = parts.filter(({ what }) => what !== 'graphs');
  return [
    comparison('CUDA graphs', graphs, taken.bytes, taken.from),
    comparison('outside torch, kept unused', others, bytes - taken.bytes, `${from}; less graphs`),
  ];
}

function comparison(
  name: string,
  parts: readonly PlannedPart[],
  measuredBytes: number,
  measuredFrom: string,
): Comparison {
  const planned = parts.map((part) => part.planned!);
  const sum = planned.reduce((all, { bytes }) => all + bytes, 0);
  return {
    name,
    plannedBytes: planned.length === 0 ? null : sum,
    plannedFrom: planned.map(({ from }) => from),
    measuredBytes,
    measuredFrom,
    differenceBytes: measuredBytes - sum,
  };
}
