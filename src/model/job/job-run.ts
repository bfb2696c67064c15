import type { ExitInfo, RunInfo } from '../run.ts';
import type { JobPart } from './one-job.ts';

/** `rank 3`, or `ranks 0–3`. */
export function ranksWords({ ranks }: JobPart): string {
  const [first, last] = [ranks[0]!, ranks.at(-1)!];
  return first === last ? `rank ${first}` : `ranks ${first}–${last}`;
}

/** The run.json of a job, out of those of its parts; what tables add is added by who merges them. */
export function jobRun(name: string, parts: readonly JobPart[]): Partial<RunInfo> {
  const runs = parts.map(({ recording }) => recording.run);
  const lead = runs[0]!;
  const { rank: _rank, ...labels } = lead.labels;
  const ends = runs.map(({ endedAt }) => endedAt);
  return {
    id: lead.labels.job ?? lead.id,
    name,
    argv: lead.argv,
    subject: lead.subject,
    host: lead.host,
    ...(lead.gpu && { gpu: lead.gpu }),
    startedAt: runs.map(({ startedAt }) => startedAt).sort()[0]!,
    endedAt: ends.includes(null) ? null : ends.sort().at(-1)!,
    sampling: {
      ...lead.sampling,
      latenessMs: null,
      ticks: sum(runs.map(({ sampling }) => sampling.ticks)),
      missed: sum(runs.map(({ sampling }) => sampling.missed)),
      recorderCpuSeconds: sum(runs.map(({ sampling }) => sampling.recorderCpuSeconds ?? 0)),
    },
    sources: lead.sources,
    exit: worstExit(parts),
    ...firstStop(parts),
    labels: { ...labels, recordings: String(parts.length) },
    warnings: warningsOf(parts),
    recorder: lead.recorder,
  };
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

/** The one that tells most: of a rank that was killed for memory, else of one that failed, else the first. */
function worstExit(parts: readonly JobPart[]): ExitInfo | null {
  const severity = (exit: ExitInfo | null) =>
    exit === null ? 1 : exit.oomKilled ? 4 : exit.signal ? 3 : exit.code === 0 ? 0 : 2;
  const exits = parts.map((part) => ({ part, exit: part.recording.run.exit }));
  const worst = exits.reduce((a, b) => (severity(b.exit) > severity(a.exit) ? b : a));
  if (!worst.exit || severity(worst.exit) === 0) return worst.exit;
  const who = ranksWords(worst.part);
  const { oomEvidence } = worst.exit;
  return { ...worst.exit, oomEvidence: oomEvidence ? `${who}: ${oomEvidence}` : who };
}

/** A job is known as far as the first of its parts that stopped. */
function firstStop(parts: readonly JobPart[]): Pick<RunInfo, 'stopped' | 'lostRows'> {
  const lost = sum(parts.map(({ recording }) => recording.run.lostRows ?? 0));
  const stops = parts.flatMap((part) => {
    const { stopped } = part.recording.run;
    return stopped ? [{ ...stopped, why: `${ranksWords(part)}: ${stopped.why}` }] : [];
  });
  const [first] = stops.sort((a, b) => a.ns - b.ns);
  return { ...(first && { stopped: first }), ...(lost > 0 && { lostRows: lost }) };
}

/** A warning that all parts share stands once. */
function warningsOf(parts: readonly JobPart[]): string[] {
  const byText = new Map<string, JobPart[]>();
  for (const part of parts) {
    for (const text of new Set(part.recording.run.warnings)) {
      byText.set(text, [...(byText.get(text) ?? []), part]);
    }
  }
  return [...byText].map(([text, who]) =>
    who.length === parts.length ? text : `${who.map(ranksWords).join(', ')}: ${text}`,
  );
}
