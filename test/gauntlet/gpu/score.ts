import type { Report } from '../../../src/analyses/report.ts';
import type { GpuTruth } from './truth.ts';

/** The parts of `report --json` that are scored. */
export type ScoredReport = Pick<Report, 'verdict' | 'devices' | 'leak'>;

/** `honest`: the true cause is named beside another, and neither is called sure. */
export type CauseMark = 'right' | 'honest' | 'wrong';

export interface GpuScore {
  readonly mark: CauseMark;
  /** What was named, the surest first. */
  readonly told: string;
  /** null: the truth names no holder. */
  readonly held: boolean | null;
  /** Whether it is told as serving; null: the truth does not say, or no trace was there. */
  readonly serving: boolean | null;
  /** A fix that only a training can use, offered to a program that serves. */
  readonly wrongAdvice: string | null;
}

/** Above this a wrong cause is claimed, not considered. */
const CLAIMED = 0.65;
const OF_TRAINING = new Set([
  'halve-batch',
  'recompute-activations',
  'drop-gradients',
  'smaller-optimizer-state',
]);

/** Holds a report of a run on a card against the truth. */
export function score(truth: GpuTruth, report: ScoredReport): GpuScore {
  const { verdict, devices } = report;
  const causes = verdict.causes ?? [];
  const code = verdict.cause.code as string;
  const oom = devices.find((device) => device.oom)?.oom ?? null;
  const named = causes.map(({ id, certainty }) => `${id} ${certainty.toFixed(2)}`);
  const others = named[0]?.startsWith(`${code} `) ? named : [code, ...named];
  const second = causes.some(
    ({ id, certainty }) => (id as string) === truth.cause && certainty >= 0.3,
  );
  const honest = second && (causes[0]?.certainty ?? 1) < CLAIMED;
  const advice = verdict.fixes.find(({ id }) => OF_TRAINING.has(id));
  return {
    mark: code === truth.cause ? 'right' : honest ? 'honest' : 'wrong',
    told: others.slice(0, 3).join(', '),
    held: truth.held ? new RegExp(truth.held).test(holdersIn(report)) : null,
    serving: truth.serving === undefined || !oom ? null : oom.work.does === 'serves',
    wrongAdvice: truth.serving && advice ? advice.id : null,
  };
}

/** Every text of the verdict and of its causes, without the words of the program's own lines that asked. */
function holdersIn({ verdict, devices, leak }: ScoredReport): string {
  const { asked_by: _, command: __, message: ___, ...texts } = verdict.untrusted.texts;
  const causes = devices.flatMap(({ oom }) => oom?.causes ?? []);
  const categories = devices.map((device) => device.categories[0]?.category ?? '');
  return JSON.stringify([texts, causes, leak.evidence, leak.culprit, categories]);
}
