import { SECOND_NS } from '../../../base/time.ts';
import type { Recording } from '../../../model/recording.ts';
import type { Trend } from '../trend.ts';
import { v8Growth } from '../v8-growth.ts';
import type { WorkloadSpan } from '../workload-span.ts';
import type { GrowthRate } from './growth-rate.ts';
import type { Pids } from './process-sums.ts';

/** How fast what V8's collections leave grows, on its heap and outside of it; nothing where V8 told nothing. */
export function heldByV8(
  recording: Recording,
  { zeroNs }: WorkloadSpan,
  { line }: Trend,
  only: Pids,
  rate: GrowthRate,
): [string, number][] {
  if (!line) return [];
  const [fromNs, toNs] = [
    zeroNs + line.fromSeconds * SECOND_NS,
    zeroNs + line.toSeconds * SECOND_NS,
  ];
  const growth = v8Growth(recording, only, fromNs, toNs);
  if (!growth) return [];
  const seconds = (toNs - fromNs) / SECOND_NS;
  const { heldHeap, heldExternal } = growth;
  return (
    [
      ['v8.held_heap', rate.of(heldHeap * seconds, fromNs, toNs)],
      ['v8.held_external', rate.of(heldExternal * seconds, fromNs, toNs)],
    ] as const
  ).flatMap(([name, of]) => (of === null ? [] : [[name, of]]));
}
