import { staysToEnd } from './lifespan.ts';
import { PHASE, phaseAt } from './phases.ts';
import type { TraceSurvey } from './survey.ts';

/** What cuBLAS asks for by default: 8 MiB and 128 KiB up to Ampere, 32 MiB from Hopper on, 1 MiB its Lt part. */
const WORKSPACE_SIZES: ReadonlySet<number> = new Set([8320, 32768, 1024].map((kib) => kib * 1024));

/** Each thread that computes has one handle for a stream: one for each pass, two in doubt. */
const MOST_IN_A_PASS = 2;
const MOST_BEFORE = 4;

/**
 * Allocations that may be workspaces of cuBLAS by size and life alone: the first few of their size
 * that a pass made and that stay. Tensors that happen to be as large are many, or go away.
 */
export function workspaceCandidates(survey: TraceSurvey): ReadonlySet<number> {
  const { life, phases } = survey;
  const found = new Map<string, number[]>();
  for (let row = 0; row < life.count; row++) {
    if (!WORKSPACE_SIZES.has(life.size[row]!) || !staysToEnd(survey, row)) continue;
    const own = row < life.allocs;
    const kind = own ? phases.kind[phaseAt(phases, life.start[row]!)] : -1;
    if (own && kind !== PHASE.forward && kind !== PHASE.backward) continue;
    const key = `${life.size[row]} ${kind}`;
    const rows = found.get(key);
    if (rows) rows.push(row);
    else found.set(key, [row]);
  }
  const chosen = new Set<number>();
  for (const rows of found.values()) {
    const before = rows[0]! >= life.allocs;
    if (before && rows.length > MOST_BEFORE) continue;
    for (const row of rows.slice(0, before ? MOST_BEFORE : MOST_IN_A_PASS)) chosen.add(row);
  }
  return chosen;
}
