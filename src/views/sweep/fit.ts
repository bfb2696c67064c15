import type { Fit, FitAnswer, FitGroup, Largest } from '../../analyses/fit/index.ts';
import { formatBytes } from '../../base/bytes.ts';
import { alignColumns, printable } from '../../base/text.ts';
import { escapeMarkdown, markdownList, markdownTable } from '../markdown-parts.ts';
import { NONE, type TextTable } from '../table.ts';
import { beside, fitFormula, linkFormula, roundSize, span } from './fit-figures.ts';

/** What would fit, for a terminal. */
export function fitText(fit: Fit): string {
  const blocks = [
    [printable(headSentence(fit))],
    ...fit.groups.map((group) => {
      const { head, body, right } = figureRows(group);
      const table = alignColumns([head, ...body], right);
      return [
        ...groupSentences(fit, group).map(printable),
        ...(body.length > 0 ? ['', ...table] : []),
      ].map((line) => (line === '' ? '' : `  ${line}`));
    }),
    fit.notes.map((note) => `  ${printable(note)}`),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** The same for an issue, a pull request or a wiki. */
export function fitMarkdown(fit: Fit): string {
  const blocks = fit.groups.flatMap((group) => [
    markdownList(groupSentences(fit, group)),
    markdownTable(figureRows(group)),
  ]);
  const notes = markdownList(fit.notes);
  return `${[`**${escapeMarkdown(headSentence(fit))}**`, ...blocks, notes].filter(Boolean).join('\n\n')}\n`;
}

export function headSentence({ limitBytes, usableBytes, inUse, groups }: Fit): string {
  const none = groups.length === 0 ? ' No run is of that kind.' : '';
  if (inUse.bytes === 0) return `What fits into ${roundSize(limitBytes)}, all of it usable.${none}`;
  const taken = `${formatBytes(inUse.bytes)} taken (${inUse.what})`;
  return `What fits into ${roundSize(limitBytes)}: ${formatBytes(usableBytes)} usable, ${taken}.${none}`;
}

/** The answers of a group, the one that was asked for first. */
export function groupSentences(fit: Fit, group: FitGroup): string[] {
  const { name, answer, unfit } = group;
  const largest = group.largest.filter(({ unknown }) => !unknown);
  const of = name === '' ? '' : `${name}: `;
  if (unfit) return [`${of}the data do not tell: ${unfit}`];
  if (!answer) return largest.map((one) => of + largestSentence(one, group));
  const [first, ...rest] = largest;
  return [
    `${of}${answerSentence(fit, answer)}${first ? `; ${largestWords(first, group)}` : ''}`,
    ...rest.map((one) => of + largestSentence(one, group)),
    ...(answer.needed && answer.beyond.length > 0 ? [of + beyondSentence(answer, group)] : []),
  ];
}

/** Why the interval is wide. */
function beyondSentence({ beyond }: FitAnswer, { parameters }: FitGroup): string {
  const reach = parameters
    .filter(({ name }) => beyond.includes(name))
    .map(({ name, values, falls }) =>
      falls ? `${name} down to ${values[0]}` : `${name} up to ${values.at(-1)}`,
    );
  return `measured was ${reach.join(' and ')}: beyond, intervals are wider`;
}

function answerSentence({ usableBytes }: Fit, answer: FitAnswer): string {
  const where = `${place(answer.at)}${answer.assumed.length > 0 ? ` (${answer.assumed.join(' and ')} as the largest measured)` : ''}`;
  const { needed, live, verdict, reason, measuredBytes } = answer;
  if (!needed) return `${where}: ${verdict === 'no' ? 'no' : 'the data do not tell'}, ${reason}`;
  const usable = `${beside(usableBytes, needed.bytes)} usable`;
  const seen = measuredBytes === null ? 'needed' : 'needed, as measured';
  const isLikely = needed.bytes <= usableBytes;
  const most =
    verdict === 'unsure' && !isLikely ? `at most ${beside(needed.highBytes, needed.bytes)}, ` : '';
  const figures = `${span(needed, needed.bytes)} ${seen}, ${most}${usable}`;
  if (verdict === 'after-release' && live) {
    const sure = needed.lowBytes > usableBytes ? 'fits' : 'likely fits';
    return `${where}: ${sure} only after the cache is released: ${span(needed, needed.bytes)} held, of which ${span(live, live.bytes)} in use, ${usable}`;
  }
  return `${where}: ${{ yes: 'yes', no: 'no', unsure: isLikely ? 'likely' : 'not known', 'after-release': 'no', unknown: '' }[verdict]}, ${figures}`;
}

const place = (at: Readonly<Record<string, number>>) =>
  Object.entries(at)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

function largestSentence(one: Largest, group: FitGroup): string {
  const others = place(one.others);
  return `${others === '' ? '' : `${others}: `}${largestWords(one, group, ` ${one.parameter}`)}`;
}

function largestWords(
  { parameter, value, atLeast }: Largest,
  { parameters }: FitGroup,
  of = '',
): string {
  const falls = parameters.find(({ name }) => name === parameter)?.falls;
  const what = `${falls ? 'smallest' : 'largest'}${of} that fits`;
  if (value === null) return of === '' ? 'none fits' : `no${of} fits`;
  return atLeast ? `${what}: at least ${value}, as far as the data tell` : `${what}: ${value}`;
}

/** Each figure: what it is made of, what it will be, and how well that was told of the largest one. */
export function figureRows({ models }: FitGroup): TextTable {
  const expected = models.some((model) => model.expected);
  return {
    head: ['figure', ...(expected ? ['expected'] : []), 'error at the largest', 'peak'],
    body: models.map((model) => [
      printable(model.figure),
      ...(expected ? [model.expected ? span(model.expected, model.expected.bytes) : NONE] : []),
      checkWords(model),
      printable(model.link ? linkFormula(model.link) : fitFormula(model.phases)),
    ]),
    right: new Set(expected ? [1] : []),
    rest: null,
  };
}

/** The worst of the largest sizes, told by the smaller ones. */
function checkWords({ checks }: FitGroup['models'][number]): string {
  const errors = checks.map(({ bytes, measuredBytes }) => bytes / measuredBytes - 1);
  const worst = errors.sort((a, b) => Math.abs(b) - Math.abs(a))[0];
  if (worst === undefined) return NONE;
  return `${worst < 0 ? '−' : '+'}${(Math.abs(worst) * 100).toFixed(1)} %`;
}
