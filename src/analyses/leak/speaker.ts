import type { Recording } from '../../model/recording.ts';
import { evidence } from './evidence.ts';
import { columnSum } from './kind/readings.ts';
import type { Span } from './span.ts';
import type { Trend } from './trend.ts';
import { iterationsOf, valuesOf } from './values.ts';

/**
 * The trend that speaks for the run. The proportional size speaks for the tree, as summed RSS counts
 * what is shared many times over. Where it cannot tell, a role may, or RSS, if the tree's growth is as
 * large, or its private memory's: proportional sizes also move when strangers come and go that use the
 * same libraries. The machine's own memory is everybody's and speaks only where no process was watched.
 * A device's memory speaks where it leaks and nothing on the host leaks more; files in shared memory where
 * no process grows, as they belong to none.
 */
export function speaker(all: readonly Trend[], recording: Recording, span: Span): Trend | null {
  const host = onHost(all, () => privateGrowth(recording, span));
  const [device] = all
    .filter(({ measure, verdict }) => measure === 'device' && verdict === 'leak')
    .sort((a, b) => b.growthBytes - a.growthBytes);
  const more = device && (host?.verdict !== 'leak' || device.growthBytes > host.growthBytes);
  if (more) return device;
  return host?.verdict === 'leak' ? host : (filesLeft(all, recording) ?? host);
}

/** /dev/shm is everybody's: its growth is the workload's where as much was left there by new files. */
function filesLeft(all: readonly Trend[], { run }: Recording): Trend | null {
  const grows = all.find(({ measure, verdict }) => measure === 'shm' && verdict === 'leak');
  const left = (run.leftInShm ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  return grows && left > grows.growthBytes / 2 ? grows : null;
}

function onHost(all: readonly Trend[], privately: () => number): Trend | null {
  const whole = (measure: Trend['measure']) =>
    all.find((trend) => trend.role === null && trend.measure === measure) ?? null;
  const tree = whole('PSS') ?? whole('RSS');
  if (!tree) return whole('held');
  if (tree.verdict !== 'inconclusive') return tree;
  const leaks = all.filter(
    ({ verdict, measure }) => verdict === 'leak' && (measure === 'PSS' || measure === 'RSS'),
  );
  const sure = leaks.find(({ growthBytes }) => tree.growthBytes > growthBytes / 2);
  if (sure || leaks.length === 0) return sure ?? tree;
  const own = privately();
  return leaks.find(({ growthBytes, role }) => role === null && own > growthBytes / 2) ?? tree;
}

/** Anonymous memory is counted once for each process that has it, copied or not: it grows by what is new. */
function privateGrowth(recording: Recording, span: Span): number {
  const values = valuesOf(columnSum(recording, 'anon', null), iterationsOf(recording), span);
  return values.y.length > 1 ? evidence(values).growth : 0;
}
