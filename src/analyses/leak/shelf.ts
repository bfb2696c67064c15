import type { Recording } from '../../model/recording.ts';
import { groupShelf } from './group-shelf.ts';
import { machineShelf } from './machine-shelf.ts';
import { processShelf } from './process-shelf.ts';
import type { Shelf } from './shelf-levels.ts';
import type { WorkloadSpan } from './workload-span.ts';

export type { Shelf } from './shelf-levels.ts';

/**
 * What the workload left behind. Its own control group tells it exactly; else its own processes and files do. The
 * machine as a whole speaks only where none of them was watched: others' memory comes and goes with theirs.
 * null: it had not ended, or nothing was recorded that could tell.
 */
export function shelf(recording: Recording, span: WorkloadSpan): Shelf | null {
  if (!hasEnded(recording, span)) return null;
  const machine = machineShelf(recording, span);
  return groupShelf(recording, span) ?? processShelf(recording, span, machine) ?? machine;
}

/**
 * While a program runs it has left nothing behind. One that was attached to had memory before anybody looked, and a
 * file without marks is taken for whole.
 */
function hasEnded({ run: { subject } }: Recording, { endKnown }: WorkloadSpan): boolean {
  return subject === 'import' || (subject === 'command' && endKnown);
}
