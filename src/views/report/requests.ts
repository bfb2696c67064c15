import type { Report } from '../../analyses/report.ts';
import type { RequestGrowth, RequestShape, Requests } from '../../analyses/requests/index.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, percent, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { seriesLabel } from '../../model/series-label.ts';
import { bytesOr, NONE, type TextTable } from '../table.ts';
import type { Fact } from './section.ts';

const UNITS: Record<Requests['unit'], string> = {
  request: 'request',
  generate: 'call of generate',
  forward: 'forward pass',
  replay: 'replay of a CUDA graph',
};
/** Where this is watched of the time, nobody need be told. */
const ALWAYS = 0.97;

const PLURALS: Record<Requests['unit'], string> = {
  request: 'requests',
  generate: 'calls of generate',
  forward: 'forward passes',
  replay: 'replays of CUDA graphs',
};

/** What it served, how much it grows by that, and which input made the peak. */
export function requestFacts({ requests }: Report): Fact[] {
  if (!requests) return [];
  const { unit, perSecond, growth, peak } = requests;
  const facts: Fact[] = [
    ['counted', `${many(requests.count, unit)}${perSecond === null ? '' : `, ${rate(perSecond)}`}`],
  ];
  const inside = insideOf(requests);
  if (inside) facts.push(['in them', inside]);
  const watch = watchText(requests);
  if (watch) facts.push(['watched', watch]);
  if (growth) facts.push(['growth', growthText(growth, unit)]);
  if (peak) {
    const added = `${formatBytes(peak.addedBytes)} of it its own`;
    const by = `${callOf(peak)}${peak.shape ? ` of ${peak.shape}` : ''}`;
    const of = watch ? '; of the passes that were watched' : '';
    facts.push(['peak', printable(`${formatBytes(peak.bytes)} in ${by}, ${added}${of}`)]);
  }
  if (requests.graphReplays > 0 && unit !== 'replay') {
    const replays = many(requests.graphReplays, 'replay');
    facts.push(['not seen', `inputs of ${replays}: no module runs in them`]);
  }
  return facts;
}

export function shapeRows({ requests }: Report): TextTable {
  const shapes = requests?.shapes ?? [];
  const hidden = (requests?.shapeCount ?? 0) - shapes.length;
  return {
    head: ['input', 'of', 'passes', 'tokens', 'mean', 'longest', 'peak on the card', 'its own'],
    body: shapes.map((one) => [
      printable(one.shape || NONE),
      printable(callOf(one)),
      one.passes.toLocaleString('en-US'),
      one.tokens?.toLocaleString('en-US') ?? NONE,
      took(one.meanSeconds),
      took(one.longestSeconds),
      bytesOr(one.peakBytes),
      bytesOr(one.addedBytes),
    ]),
    right: new Set([2, 3, 4, 5, 6, 7]),
    rest: hidden > 0 ? `and ${count(hidden, 'shape')} that took less` : null,
  };
}

const took = (seconds: number) =>
  seconds < 0.0995 ? `${(seconds * 1000).toPrecision(2)} ms` : formatDuration(seconds);

const many = (number: number, unit: Requests['unit']) =>
  `${number.toLocaleString('en-US')} ${number === 1 ? UNITS[unit] : PLURALS[unit]}`;

const rate = (perSecond: number) => `${perSecond.toPrecision(3)} a second`;

const callOf = ({ what, module }: Pick<RequestShape, 'what' | 'module'>) =>
  what === 'generate' ? `generate of ${module}` : module;

/** Nothing where it was watched all the time. */
function watchText({ watched, forwardEstimate }: Omit<Requests, 'type'>): string | null {
  if (watched === null || forwardEstimate === null || watched > ALWAYS) return null;
  const about = Number(forwardEstimate.toPrecision(2));
  return `${percent(watched)} of the time, as a look at each pass would cost too much: about ${many(about, 'forward')} in all`;
}

function insideOf({ unit, forwardPasses, generateCalls, tokens }: Omit<Requests, 'type'>): string {
  const parts = [
    generateCalls > 0 && unit !== 'generate' ? many(generateCalls, 'generate') : '',
    forwardPasses > 0 && unit !== 'forward' ? many(forwardPasses, 'forward') : '',
    tokens === null ? '' : `${count(tokens, 'token')} put in`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function growthText({ bytesPerThousand, shown, series }: RequestGrowth, unit: Requests['unit']) {
  const amount = `${formatBytes(bytesPerThousand)} per thousand ${PLURALS[unit]}`;
  const by = `by ${seriesLabel(series)}`;
  return shown ? `${amount}, ${by}` : `none shown; at most ${amount}, ${by}`;
}
