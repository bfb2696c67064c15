import { MiB } from '../../../base/bytes.ts';
import type { EvaluationPass } from './evaluation-pass.ts';
import type { OptimizerNeed } from './optimizer-need.ts';
import type { RowParts } from './parts.ts';
import type { Trial, Tried } from './trial.ts';
import type { ProgramWork } from './work.ts';

/** Why memory ran out on a device, of a fixed list: docs/json-outputs.md. */
export type FailureCause =
  | 'other-process'
  | 'limit'
  | 'kept-tensors'
  | 'growing-cache'
  | 'graph-pools'
  | 'fragmentation'
  | 'activations'
  | 'logits'
  | 'evaluation-with-gradients'
  | 'optimizer-state'
  | 'loading'
  | 'workspaces'
  | 'context'
  | 'too-large';

export type FixId =
  | 'keep-no-tensors'
  | 'move-results-to-host'
  | 'bound-cache'
  | 'shrink-cache'
  | 'halve-batch'
  | 'fewer-at-once'
  | 'recompute-activations'
  | 'loss-in-parts'
  | 'no-grad'
  | 'smaller-optimizer-state'
  | 'optimizer-state-on-host'
  | 'load-on-host'
  | 'fewer-graphs'
  | 'less-scratch'
  | 'fewer-processes'
  | 'allocator-setting'
  | 'drop-gradients'
  | 'free-the-card'
  | 'raise-limit'
  | 'more-memory';

export interface Fix extends Tried {
  /** One of a fixed list, for programs. */
  readonly id: FixId;
  readonly what: string;
  /** The place in the program that `what` ends with; null where it names none. */
  readonly where: string | null;
  /** Bytes it would free, at most or about. */
  readonly bytes: number;
  /** Whether the program would have run on: `outcome` is `runs`. */
  readonly enough: boolean;
  /** The causes that it can help against. */
  readonly against: readonly FailureCause[];
}

export const fixOf = (
  fix: Omit<Fix, 'enough' | 'where'> & { readonly where?: string | null },
): Fix => ({
  ...fix,
  where: fix.where ?? null,
  bytes: Math.round(fix.bytes),
  enough: fix.outcome === 'runs',
});

/** Below this a fix is not worth a line. */
const WORTH = MiB;

/** What a failed request leaves to go by. */
export interface FailureEvidence {
  readonly work: ProgramWork;
  readonly parts: RowParts;
  readonly evaluation: EvaluationPass | null;
  readonly optimizer: OptimizerNeed | null;
  readonly requested: number;
  /** Beyond what was there for it, at most. */
  readonly missing: number;
  /** The line that leaves most; '' where nothing grows. */
  readonly keeper: string;
  readonly phase: string | null;
  /** Scratch memory that a library keeps, a piece for each stream: how many. */
  readonly streams: number;
  readonly sizeOf: (row: number) => number;
  readonly startOf: (row: number) => number;
  /** Scratch memory that has nothing to do with the batch. */
  readonly isOptimizerScratch: (row: number) => boolean;
}

/** All that could be done about it, each tried on the trace where the trace can tell. */
export function fixesFor(evidence: FailureEvidence, trial: Trial): Fix[] {
  const { work } = evidence;
  const fixes = [
    ...keptFixes(evidence, trial),
    ...batchFixes(evidence, trial),
    ...evaluationFixes(evidence, trial),
    ...stateFixes(evidence, trial),
    ...loadingFixes(evidence, trial),
    ...graphFixes(evidence, trial),
    ...scratchFixes(evidence),
  ];
  if (work.does === 'trains' && evidence.phase === 'forward') {
    fixes.push(
      fixOf({
        id: 'drop-gradients',
        what: 'drop gradients before the forward pass: zero_grad(set_to_none=True)',
        bytes: evidence.parts.bytes('gradient'),
        against: ['activations', 'logits', 'too-large'],
        ...trial({ without: evidence.parts.rows('gradient') }),
      }),
    );
  }
  return fixes.filter(({ bytes }) => bytes >= WORTH).sort(byOutcome);
}

const ORDER = { runs: 0, unknown: 1, dies: 2 } as const;

/** Those that run first, and of these the ones that leave most room; else in the order in which they were thought of. */
export const byOutcome = (a: Fix, b: Fix): number =>
  ORDER[a.outcome] - ORDER[b.outcome] || (b.margin ?? 0) - (a.margin ?? 0);

function keptFixes({ parts, work, keeper, startOf }: FailureEvidence, trial: Trial): Fix[] {
  const rows = parts.rows('kept');
  if (rows.length === 0) return [];
  const where = keeper === '' ? null : keeper;
  const named = (what: string) => (where === null ? what : `${what}: ${where}`);
  const all = { bytes: parts.bytes('kept'), where, ...trial({ without: rows }) };
  if (work.does !== 'serves') {
    const what = named('keep no tensors of earlier steps');
    return [fixOf({ id: 'keep-no-tensors', what, against: ['kept-tensors'], ...all })];
  }
  // The older half, as a cache that lets go of what was used least lately would.
  const older = [...rows].sort((a, b) => startOf(a) - startOf(b)).slice(0, rows.length >> 1);
  return [
    fixOf({
      id: 'move-results-to-host',
      what: named('move each result to the host as it comes (.cpu()), or use it and let go of it'),
      against: ['kept-tensors'],
      ...all,
    }),
    fixOf({
      id: 'bound-cache',
      what: named('bound the cache, and evict what is oldest; half of it would be'),
      bytes: parts.bytes('kept') / 2,
      where,
      against: ['growing-cache'],
      ...trial({ without: older }),
    }),
    fixOf({
      id: 'shrink-cache',
      what: 'page the cache to the host, or keep it in 8 bits: it lasts longer, and still has no bound',
      bytes: parts.bytes('kept') / 2,
      against: ['growing-cache'],
      outcome: 'unknown',
      margin: null,
    }),
  ];
}

const BATCH = ['activations', 'logits', 'too-large', 'limit'] as const;

function batchFixes(evidence: FailureEvidence, trial: Trial): Fix[] {
  const { parts, work, requested, sizeOf, isOptimizerScratch } = evidence;
  const pass = [...parts.rows('pass'), ...parts.rows('logits')].filter(
    (row) => !isOptimizerScratch(row),
  );
  const bytes = pass.reduce((sum, row) => sum + sizeOf(row), 0);
  const shrinks = parts.asked === 'pass' || parts.asked === 'logits';
  const ofBatch = shrinks && evidence.phase !== 'optimizer';
  const { parted, tried } = smallerBatch(pass, ofBatch, trial);
  const smaller = {
    bytes: (bytes + (ofBatch ? requested : 0)) * (1 - 1 / parted),
    against: BATCH,
    ...tried,
  };
  const part = PART_WORDS[parted]!;
  if (work.does === 'serves') {
    const what = `take ${part} as many at once: smaller batches, or fewer requests at a time`;
    return [fixOf({ id: 'fewer-at-once', what, ...smaller })];
  }
  const what =
    parted === 2
      ? 'halve the batch (and accumulate gradients over two)'
      : `take ${part} of the batch (and accumulate gradients over ${parted})`;
  const fixes = [fixOf({ id: 'halve-batch', what, ...smaller })];
  const kept = parts
    .rows('pass')
    .map(sizeOf)
    .sort((a, b) => b - a);
  // Two layers' results are there all the same: what is read, and what is made anew.
  const gain = kept.slice(2).reduce((sum, size) => sum + size, 0);
  if (!evidence.evaluation) {
    fixes.push(
      fixOf({
        id: 'recompute-activations',
        what: 'recompute activations in the backward pass (torch.utils.checkpoint)',
        bytes: gain,
        against: ['activations'],
        // Which layers can be recomputed in one piece the trace does not tell; but more than all of them is not to be had.
        outcome: gain < evidence.missing ? 'dies' : 'unknown',
        margin: null,
      }),
    );
  }
  const logits = parts.rows('logits');
  if (logits.length > 0) {
    const all = parts.bytes('logits') + (parts.asked === 'logits' ? requested : 0);
    fixes.push(
      fixOf({
        id: 'loss-in-parts',
        what: 'compute the last layer and the loss in parts over the tokens (a chunked or fused cross entropy)',
        bytes: (all * 7) / 8,
        against: ['logits'],
        ...trial({
          sizes: new Map(logits.map((row) => [row, sizeOf(row) / 8])),
          asked: parts.asked === 'logits' ? (asked) => asked / 8 : undefined,
          less: (all * 7) / 8,
        }),
      }),
    );
  }
  return fixes;
}

const PART_WORDS: Readonly<Record<number, string>> = {
  2: 'half',
  4: 'a quarter',
  8: 'an eighth',
};

/** Half of the batch, or the largest smaller part that gets past the request. */
function smallerBatch(pass: readonly number[], ofBatch: boolean, trial: Trial) {
  const of = (parted: number) => ({
    parted,
    tried: trial({
      scaled: { rows: pass, by: 1 / parted },
      asked: ofBatch ? (asked) => asked / parted : undefined,
      batch: 1 / parted,
    }),
  });
  const half = of(2);
  if (half.tried.outcome !== 'dies') return half;
  return [4, 8].map(of).find(({ tried }) => tried.outcome !== 'dies') ?? half;
}

function evaluationFixes(evidence: FailureEvidence, trial: Trial): Fix[] {
  const { evaluation, sizeOf, requested } = evidence;
  if (!evaluation) return [];
  // Without gradients a layer's result goes when the next has been made from it.
  const bySize = [...evaluation.rows].sort((a, b) => sizeOf(b) - sizeOf(a));
  const gone = bySize.slice(2);
  const largest = bySize[0] === undefined ? 0 : sizeOf(bySize[0]);
  return [
    fixOf({
      id: 'no-grad',
      what: 'evaluate under torch.no_grad() or torch.inference_mode()',
      bytes: gone.reduce((sum, row) => sum + sizeOf(row), 0),
      against: ['evaluation-with-gradients'],
      ...trial({ without: gone, rest: 2 * largest }),
    }),
    fixOf({
      id: 'fewer-at-once',
      what: 'evaluate in batches of half the size',
      bytes: (evaluation.keptBytes + requested) / 2,
      against: ['evaluation-with-gradients'],
      ...trial({
        scaled: { rows: evaluation.rows, by: 1 / 2 },
        asked: (asked) => asked / 2,
      }),
    }),
  ];
}

/** Each number of the state in one byte instead of four. */
const IN_8_BITS = 0.25;

function stateFixes({ parts, optimizer }: FailureEvidence, trial: Trial): Fix[] {
  const rows = parts.rows('optimizer-state');
  const toCome = optimizer?.toCome ?? [];
  const all = parts.bytes('optimizer-state') + toCome.reduce((sum, bytes) => sum + bytes, 0);
  if (all === 0) return [];
  const against = ['optimizer-state', 'too-large'] as const;
  const rest = optimizer?.scratchBytes;
  const asks = parts.asked === 'optimizer-state';
  return [
    fixOf({
      id: 'smaller-optimizer-state',
      what: 'keep the optimizer state in 8 bits',
      bytes: all * (1 - IN_8_BITS),
      against,
      ...trial({
        sizes: new Map(rows.map((row) => [row, parts.sizeOf(row) * IN_8_BITS])),
        asked: asks ? (bytes) => bytes * IN_8_BITS : undefined,
        more: toCome.map((bytes) => bytes * IN_8_BITS),
        rest,
      }),
    }),
    fixOf({
      id: 'optimizer-state-on-host',
      what: 'keep the optimizer state on the host, or take an optimizer without state (SGD)',
      bytes: all,
      against,
      ...trial({ without: rows, asked: asks ? () => 1 : undefined, rest }),
    }),
  ];
}

function loadingFixes({ parts, requested }: FailureEvidence, trial: Trial): Fix[] {
  const rows = parts.rows('loaded');
  if (rows.length === 0) return [];
  return [
    fixOf({
      id: 'load-on-host',
      what: "load the checkpoint to the host (map_location='cpu', or mmap=True), and copy it into the model from there",
      bytes: parts.bytes('loaded') + (parts.asked === 'loaded' ? requested : 0),
      against: ['loading'],
      ...trial({ without: rows, asked: () => 1 }),
    }),
  ];
}

function graphFixes({ parts, startOf }: FailureEvidence, trial: Trial): Fix[] {
  const rows = parts.rows('private-pool');
  if (rows.length === 0) return [];
  const older = [...rows].sort((a, b) => startOf(a) - startOf(b)).slice(0, rows.length >> 1);
  return [
    fixOf({
      id: 'fewer-graphs',
      what: 'capture graphs for fewer sizes (half of them would do this), or let them share one pool: torch.cuda.graph(…, pool=…)',
      bytes: parts.bytes('private-pool') / 2,
      against: ['graph-pools'],
      ...trial({ without: older }),
    }),
  ];
}

/** What an operation takes for itself is not in the trace's hands: how much less another way takes nobody knows. */
function scratchFixes({ parts, requested, streams }: FailureEvidence): Fix[] {
  const unknown = { outcome: 'unknown', margin: null, against: ['workspaces'] } as const;
  if (streams > 0) {
    const what =
      'use fewer streams (half of them would do this), or set a smaller CUBLAS_WORKSPACE_CONFIG: cuBLAS keeps one for each stream';
    return [fixOf({ id: 'less-scratch', what, bytes: parts.bytes('workspace') / 2, ...unknown })];
  }
  if (parts.asked !== 'workspace') return [];
  const what =
    'do the operation in smaller parts, on the host, or by another method of its library (torch.backends)';
  return [fixOf({ id: 'less-scratch', what, bytes: requested, ...unknown })];
}
