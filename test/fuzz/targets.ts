import { agentTargets } from './agent-targets.ts';
import { formatTargets } from './format-targets.ts';
import { heapTargets } from './heap-targets.ts';
import { recordingTargets } from './recording-targets.ts';
import { smallFileTargets } from './small-file-targets.ts';
import type { Target } from './target.ts';

/** Every reader of what somebody else may have written. */
export function targets(): Target[] {
  return [
    ...recordingTargets(),
    ...formatTargets(),
    ...heapTargets(),
    ...agentTargets(),
    ...smallFileTargets(),
  ];
}
