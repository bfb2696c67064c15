import { formatBytes } from '../../base/bytes.ts';
import { FAMILY_NAMES, figureOf } from './family.ts';
import { grownParts, type LimitFinding } from './finding.ts';
import type { PeakLimit } from './limit.ts';
import type { RunFigures } from './run-figures.ts';

/** The highest of all runs counts: a limit that one run in ten breaks is broken. */
export function checkPeak(
  limit: PeakLimit,
  runs: readonly RunFigures[],
  baseline: RunFigures | null,
): LimitFinding {
  const found = runs.flatMap((run) => {
    const figure = figureOf(run.peaks, limit.series);
    return figure ? [{ run, ...figure }] : [];
  });
  const [top] = found.sort((a, b) => b.bytes - a.bytes);
  if (!top) {
    const there = Object.keys(runs[0]?.peaks ?? {});
    const known =
      there.length > 0 ? [...new Set([...there, ...families(there)])].join(', ') : 'none';
    return {
      kind: 'peak',
      limit: limit.text,
      status: 'unknown',
      series: limit.series,
      measuredBytes: null,
      limitBytes: limit.mostBytes,
      evidence: `the run has no series '${limit.series}'; it has ${known}`,
      parts: [],
    };
  }
  const over = top.bytes - limit.mostBytes;
  const much = `${formatBytes(Math.abs(over))} ${over > 0 ? 'over' : 'below'} the limit`;
  const many = runs.length > 1 ? `, the highest of ${runs.length} runs` : '';
  return {
    kind: 'peak',
    limit: limit.text,
    status: over > 0 ? 'fail' : 'pass',
    series: top.series,
    measuredBytes: top.bytes,
    limitBytes: limit.mostBytes,
    evidence: `${top.series} peaked at ${formatBytes(top.bytes)}, ${much}${many}`,
    parts: over > 0 ? grownParts(top.run.parts, baseline?.parts ?? null) : [],
  };
}

const families = (there: readonly string[]) =>
  FAMILY_NAMES.filter((family) => there.some((name) => name.startsWith(family)));
