import type { Report } from '../../analyses/report.ts';
import { printable } from '../../base/text.ts';
import { planPassages } from '../plan/passages.ts';
import { allocationPassages, deviceAccounts, isTraceOnly, traceLeakTile } from './allocations.ts';
import { cacheNotes, cacheRows } from './caches.ts';
import { cellRows } from './cells.ts';
import { endingFacts, endingTiles } from './ending.ts';
import { cardAccounts, gpuNotes, gpuRows, gpuRunning, heldRows } from './gpu.ts';
import { hostPeakAccounts, hostPeakPassages } from './host-peak.ts';
import { layerPassages, modelAccounts } from './layers.ts';
import { leakFacts, leakSentence, leakTile } from './leak.ts';
import { isProfileOnly, liveStackAccounts, liveStackPassages } from './live-stacks.ts';
import { insideFacts, samplingFacts } from './measured.ts';
import { outsideLines } from './outside.ts';
import { headlineNotes, peakRows } from './peaks.ts';
import { processRows, treeAccount } from './processes.ts';
import { rankNotes, rankRows, rankTiles } from './ranks.ts';
import { requestFacts, shapeRows } from './requests.ts';
import type { Account, ReportSection, SectionBlock, TextLayout } from './section.ts';
import { phaseRows, sleepLines, sleepRows } from './sleeps.ts';

/**
 * The report's sections in their order, for a terminal, for Markdown and for the page. A new
 * analysis gets a line here; `text.ts`, `markdown.ts` and `page.ts` set what it says.
 */
export const SECTIONS: readonly ReportSection[] = [
  {
    id: 'allocations',
    passages: (report, { width }) => allocationPassages(report, width),
    tiles: (report) => (isTraceOnly(report) ? [traceLeakTile(report.devices)] : []),
    accounts: deviceAccounts,
  },
  { id: 'live-stacks', passages: liveStackPassages, accounts: liveStackAccounts },
  { id: 'host-peak', passages: hostPeakPassages },
  {
    id: 'leak',
    when: wasSampled,
    passages: titled('Leak', (report) => [
      { sentence: leakSentence(report) },
      { facts: leakFacts(report) },
    ]),
    tiles: (report, { live }) => [leakTile(report, live)],
  },
  {
    id: 'peaks',
    passages: titled('Peaks', (report) => [
      { table: peakRows(report) },
      { lines: headlineNotes(report) },
    ]),
  },
  {
    id: 'gpus',
    passages: (report) => [
      { title: 'GPUs', blocks: [{ table: gpuRows(report) }, { lines: gpuNotes(report) }] },
      {
        title: 'What held the card at the peak',
        about: 'device-peak',
        blocks: [
          { lines: gpuRunning(report) },
          { table: heldRows(report) },
          { lines: outsideLines(report) },
        ],
      },
    ],
    accounts: cardAccounts,
  },
  {
    id: 'plan',
    passages: ({ plan }) => (plan.engines.length > 0 ? planPassages(plan) : []),
  },
  {
    id: 'sleeps',
    passages: titled('Sleep', (report) => [
      { lines: sleepLines(report) },
      { table: sleepRows(report) },
    ]),
  },
  { id: 'phases', passages: titled('Phases', (report) => [{ table: phaseRows(report) }]) },
  { id: 'cells', passages: titled('Cells', (report) => [{ table: cellRows(report) }]) },
  {
    id: 'requests',
    passages: titled('Requests', (report) => [
      { facts: requestFacts(report) },
      { table: shapeRows(report) },
    ]),
  },
  {
    id: 'caches',
    passages: titled('Caches', (report) => [
      { table: cacheRows(report) },
      { lines: cacheNotes(report) },
    ]),
  },
  { id: 'layers', passages: layerPassages, accounts: modelAccounts },
  {
    id: 'ranks',
    passages: titled('Ranks', (report, { indent }) => [
      { lines: rankNotes(report, indent) },
      { table: rankRows(report) },
    ]),
    tiles: rankTiles,
  },
  {
    id: 'processes',
    passages: titled('Processes', (report, layout) => [
      { table: processRows(report, layout.processes, layout.commandWidth) },
    ]),
    accounts: processAccounts,
  },
  {
    id: 'ending',
    passages: titled('Ending', (report) => [{ facts: endingFacts(report) }]),
    tiles: (report, { live }) => endingTiles(report, live),
  },
  {
    id: 'measured',
    when: wasSampled,
    passages: titled('Measured', (report) => [
      { facts: [...samplingFacts(report), ...insideFacts(report)] },
    ]),
  },
  {
    id: 'warnings',
    passages: titled('Warnings', ({ warnings }) => [{ lines: warnings.map(printable) }]),
  },
];

function titled(
  title: string,
  blocks: (report: Report, layout: TextLayout) => readonly SectionBlock[],
): ReportSection['passages'] {
  return (report, layout) => [{ title, blocks: blocks(report, layout) }];
}

/** Of one process all that matters is what it held itself. */
function processAccounts(report: Report): Account[] {
  const [tree, inside] = [treeAccount(report), hostPeakAccounts(report)];
  return tree.parts.length === 1 ? inside : [tree, ...inside];
}

function wasSampled(report: Report): boolean {
  return !isTraceOnly(report) && !isProfileOnly(report);
}

/** The sections that a report has something for. */
export const sectionsOf = (report: Report): ReportSection[] =>
  SECTIONS.filter(({ when }) => when === undefined || when(report));
