import type { TagAnalysis, TagCategory } from '../../analyses/tags/index.ts';
import { formatBytes, MiB } from '../../base/bytes.ts';
import { alignColumns, count, ellipsize, printable } from '../../base/text.ts';

const MOST_TAGS = 20;
const RIGHT = new Set([2, 3]);

/** Categories, largest first, and totals: a line each, as `Weights = 1.64 MiB  12.5 %  Count:# 8`. */
export function tagsText(analysis: TagAnalysis): string {
  const { name, totals, peak, device } = analysis;
  const known = analysis.categories.filter(({ count }) => count > 0);
  const largest = [...known].sort((a, b) => b.bytes - a.bytes);
  const lines = [
    printable(name),
    ...indented(alignColumns(largest.map(categoryCells), RIGHT)),
    '',
    ...indented(
      alignColumns(
        [
          ['Total Allocations', '=', mebi(totals.bytes)],
          ['Weights (in_arg + arg_grad)', '=', mebi(totals.weightsBytes)],
          ['Forward tags (all others)', '=', mebi(totals.forwardBytes)],
          ['Unknown tags', '=', mebi(totals.unknownBytes)],
          ['Annotations', '=', String(totals.count)],
        ],
        new Set([2]),
      ),
    ),
  ];
  if (peak) lines.push('', `  ${peakSentence(analysis, largest)}`);
  if (device) {
    const used = `${formatBytes(device.peakUsedBytes)} of ${formatBytes(device.totalBytes)}`;
    lines.push('', `  The device itself had ${used} in use at most, all programs together.`);
  }
  const unmatched = unmatchedLines(analysis);
  if (unmatched.length > 0) lines.push('', ...indented(unmatched));
  return `${lines.join('\n')}\n`;
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

/** One unit for all, so that figures can be compared by eye. */
function mebi(bytes: number): string {
  const value = bytes / MiB;
  return value > 0 && value < 0.0005 ? '< 0.001 MiB' : `${value.toFixed(3)} MiB`;
}

const categoryCells = ({ label, bytes, share, count: n }: TagCategory) => [
  printable(label),
  '=',
  mebi(bytes),
  `${(share * 100).toFixed(1)} %`,
  `Count:# ${n}`,
];

function peakSentence({ peak }: TagAnalysis, largest: readonly TagCategory[]): string {
  const live = largest
    .filter(({ bytesAtPeak }) => bytesAtPeak !== null && bytesAtPeak > 0)
    .sort((a, b) => b.bytesAtPeak! - a.bytesAtPeak!);
  const parts = live
    .slice(0, 4)
    .map(({ label, bytesAtPeak }) => `${printable(label)} ${formatBytes(bytesAtPeak!)}`);
  const rest = live.length > 4 ? ` and ${count(live.length - 4, 'more', 'more')}` : '';
  return `Most live at once = ${mebi(peak!.bytes)}: ${parts.join(', ')}${rest}.`;
}

/** What nobody has a rule for, and what to do about it. */
function unmatchedLines({ unmatched }: TagAnalysis): string[] {
  if (unmatched.length === 0) return [];
  const shown = unmatched.slice(0, MOST_TAGS);
  const rest = unmatched.length - shown.length;
  return [
    `${count(unmatched.length, 'tag')} that no rule knows, counted above as unknown:`,
    ...alignColumns(
      shown.map(({ tag, bytes, count: n }) => [
        `  ${tag === '' ? '(empty)' : ellipsize(printable(tag), 70)}`,
        mebi(bytes),
        `Count:# ${n}`,
      ]),
      new Set([1]),
    ),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    'To give them a category, write rules.json with a part of the tag and a name of yours, as',
    `  [{"match": ${JSON.stringify(example(shown))}, "category": "my layers"}]`,
    'and run this again with --rules rules.json.',
  ];
}

/** A part of a tag that is worth a rule: what stands behind its last colon, without its number. */
function example(shown: TagAnalysis['unmatched']): string {
  const tag = shown.find((one) => one.tag !== '')?.tag ?? '()';
  const part = tag
    .split(':')
    .at(-1)!
    .replace(/\s*\d+$/, '');
  return part.length < 3 ? tag : part;
}

const VERSION = 1;

export interface AnalyzedLog {
  readonly path: string;
  readonly out: string;
  readonly analysis: TagAnalysis;
}

/** `analyze --json`: keys are added, never renamed. Single tags are in the files that it names. */
export function tagsResult(
  logs: readonly AnalyzedLog[],
  ignored: readonly { path: string; reason: string }[],
) {
  return {
    type: 'tag-analyses' as const,
    schemaVersion: VERSION,
    logs: logs.map(({ path, out, analysis }) => {
      const { type: _type, categories, ...rest } = analysis;
      const summary = categories.map(({ tags: _tags, ...category }) => category);
      summary.sort((a, b) => b.bytes - a.bytes);
      return { path, out, ...rest, categories: summary };
    }),
    ignored,
  };
}

/**
 * `<log>_ANALYSIS` in the shape of the MXNet memory profiler's own, to the byte: bytes as floats, tags
 * with the brackets, full stop and line end that they have in the log, beyond ASCII in escapes.
 */
export function* analysisFile(analysis: TagAnalysis): Generator<string> {
  if (analysis.categories.length === 0) {
    yield '{}';
    return;
  }
  let before = '{\n';
  for (const { category, bytes, tags } of analysis.categories) {
    yield `${before}  ${quoted(category)}: [\n    ${float(bytes)},\n    [`;
    for (const [i, tag] of tags.entries()) {
      yield `${i === 0 ? '' : ','}\n      ${quoted(`(${tag}).\n`)}`;
    }
    yield tags.length === 0 ? ']\n  ]' : '\n    ]\n  ]';
    before = ',\n';
  }
  yield '\n}';
}

const float = (value: number) => (Number.isInteger(value) ? `${value}.0` : String(value));

const quoted = (text: string) =>
  JSON.stringify(text).replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
