import type { CheckStatus, LimitFinding } from '../../analyses/check/finding.ts';
import type { GateableSeries } from '../../analyses/check/gateable-series.ts';
import type { CheckResult } from '../../analyses/check/index.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { alignColumns, printable } from '../../base/text.ts';
import { seriesLabel } from '../../model/series-label.ts';
import { verdictSentence } from '../../model/verdict.ts';
import { escapeMarkdown, markdownList, markdownTable } from '../markdown-parts.ts';

const WORDS: Readonly<Record<CheckStatus, string>> = {
  pass: 'ok',
  fail: 'OVER',
  unknown: 'unknown',
};

/** Limits and what came of them, for a terminal. */
export function checkText(check: CheckResult): string {
  const lines = [verdictSentence(check.verdict), ''];
  lines.push(...alignColumns(findingRows(check)).map((line) => `  ${printable(line)}`));
  for (const finding of check.findings.filter(({ parts }) => parts.length > 0)) {
    lines.push('', `  ${printable(partsTitle(finding))}`);
    lines.push(
      ...alignColumns(partRows(finding), new Set([0, 1])).map((line) => `    ${printable(line)}`),
    );
  }
  if (check.notes.length > 0) lines.push('', ...check.notes.map((note) => `  ${printable(note)}`));
  return `${lines.join('\n')}\n`;
}

/** For a pull request, or the summary page of a CI run. */
export function checkMarkdown(check: CheckResult): string {
  const blocks = [`**${escapeMarkdown(verdictSentence(check.verdict))}**`];
  const body = findingRows(check);
  blocks.push(
    markdownTable({ head: ['', 'limit', 'evidence'], body, right: new Set(), rest: null }),
  );
  for (const finding of check.findings.filter(({ parts }) => parts.length > 0)) {
    blocks.push(`${escapeMarkdown(partsTitle(finding))}:`);
    const head =
      finding.parts[0]!.baselineBytes === null ? ['bytes', 'what'] : ['more', 'now', 'what'];
    blocks.push(
      markdownTable({
        head,
        body: partRows(finding),
        right: new Set(head.length === 2 ? [0] : [0, 1]),
        rest: null,
      }),
    );
  }
  if (check.notes.length > 0) blocks.push(markdownList(check.notes));
  return `${blocks.join('\n\n')}\n`;
}

const findingRows = ({ findings }: CheckResult): string[][] =>
  findings.map(({ status, limit, evidence }) => [WORDS[status], limit, evidence]);

function partsTitle({ parts, limit }: LimitFinding): string {
  const what = parts[0]!.baselineBytes === null ? 'Held most' : 'Grew most';
  return `${what}, by ${parts[0]!.by} (${limit})`;
}

function partRows({ parts }: LimitFinding): string[][] {
  return parts.map(({ name, bytes, baselineBytes }) =>
    baselineBytes === null
      ? [formatBytes(bytes), name]
      : [formatDelta(bytes - baselineBytes), formatBytes(bytes), name],
  );
}

/** As CI servers read it: a test case for each limit. What cannot be told is an error, not a failure. */
export function checkJunit({ findings, runs, notes }: CheckResult): string {
  const failed = findings.filter(({ status }) => status === 'fail').length;
  const unknown = findings.filter(({ status }) => status === 'unknown').length;
  const suite = `highwater: ${[...new Set(runs.map(({ name }) => name))].join(', ')}`;
  const cases = findings.map(({ status, limit, series, evidence, parts }) => {
    const about = series === null || limit.includes(series) ? limit : `${limit} (${series})`;
    const open = `    <testcase classname="highwater" name="${xml(about)}"`;
    if (status === 'pass') return `${open}><system-out>${xml(evidence)}</system-out></testcase>`;
    const tag = status === 'fail' ? 'failure' : 'error';
    const detail = [
      evidence,
      ...parts.map(({ by, name, bytes }) => `${by} ${name}: ${bytes} bytes`),
    ];
    return `${open}><${tag} message="${xml(evidence)}">${xml(detail.join('\n'))}</${tag}></testcase>`;
  });
  const said = notes.length > 0 ? [`    <system-err>${xml(notes.join('\n'))}</system-err>`] : [];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="${xml(suite)}" tests="${findings.length}" failures="${failed}" errors="${unknown}" skipped="0">`,
    ...cases,
    ...said,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** Control characters cannot be in XML at all, not even escaped. */
function xml(text: string): string {
  return text
    .replace(
      /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '·',
    )
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/\n/g, '&#10;');
}

const SERIES_ADVICE = {
  1: 'repeats to the byte: best for a limit',
  2: 'repeats well',
  3: 'moves a little from run to run: leave room, or use several baseline runs',
  4: 'other programs count too: rather not',
} as const;

/** The names that `check` can hold against a limit, and which to prefer. */
export function seriesText({ series }: GateableSeries): string {
  const [best] = series;
  if (!best) return 'This recording has no series.\n';
  const rows = series.map(({ name, peakBytes, repeatability }) => [
    name,
    formatBytes(peakBytes),
    seriesLabel(name),
    SERIES_ADVICE[repeatability],
  ]);
  const head = ['series', 'peak', 'what it is', 'as a limit'];
  const size = formatBytes(best.peakBytes).replace(' ', '');
  return `${alignColumns([head, ...rows], new Set([1])).join('\n')}

gpu, torch, tree and host stand for the highest of their kind.
For example: highwater check --peak '${best.name}<=${size}'
`;
}
