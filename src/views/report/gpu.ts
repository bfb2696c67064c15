import type { GpuFacts, GpuProcess } from '../../analyses/gpu/index.ts';
import type { Report } from '../../analyses/report.ts';
import type { Running } from '../../analyses/running.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { NONE, type TextTable } from '../table.ts';
import { runningWords } from './running.ts';
import type { Account } from './section.ts';

/** Processes of others on one card that are shown one by one. */
const MOST_OTHERS = 4;

/** The cards that a report is about. */
export const cardsShown = ({ gpus }: Report): readonly GpuFacts[] =>
  gpus.filter(({ shown }) => shown);

/** At each card's peak: who held how much, and what nobody explains. */
export function gpuRows(report: Report): TextTable {
  return {
    head: ['GPU', 'at its peak', 'memory', 'pid', 'rank'],
    body: cardsShown(report).flatMap(cardCells),
    right: new Set([2, 3, 4]),
    rest: null,
  };
}

function cardCells(gpu: GpuFacts): string[][] {
  const name = printable(gpu.name);
  const title = name ? `${gpu.gpu} ${name}` : String(gpu.gpu);
  if (!gpu.peak || !gpu.headline) return [[title, 'not measured', NONE, '', '']];
  const of = gpu.memoryBytes === null ? '' : ` of ${formatBytes(gpu.memoryBytes)}`;
  const rows = headRows(gpu, title, of);
  const { accounting } = gpu;
  if (!accounting) return rows;
  const others = accounting.processes.filter((process) => !process.ofTree);
  const shown = [
    ...accounting.processes.filter((process) => process.ofTree),
    ...others.slice(0, MOST_OTHERS),
  ];
  rows.push(...shown.map(processCells));
  const hidden = others.slice(MOST_OTHERS);
  if (hidden.length > 0) {
    const sum = hidden.reduce((all, { bytes }) => all + (bytes ?? 0), 0);
    rows.push([
      '',
      `${count(hidden.length, 'more process', 'more processes')}`,
      formatBytes(sum),
      '',
      '',
    ]);
  }
  rows.push(['', 'held by no listed process', signed(accounting.unexplainedBytes), '', '']);
  if (accounting.reservedBytes !== null) {
    rows.push(['', 'apart: reserved by the driver', formatBytes(accounting.reservedBytes), '', '']);
  }
  return rows;
}

/** The figure to remember first; of this workload on a card that others use, the card's own peak beside it. */
function headRows({ peak, headline }: GpuFacts, title: string, of: string): string[][] {
  const inUse = (name: string) => [
    name,
    `in use at ${formatDuration(peak!.seconds)}${of}`,
    formatBytes(peak!.bytes),
    '',
    '',
  ];
  if (headline!.of === 'card') return [inUse(title)];
  const unseen = headline!.of === 'torch';
  const when = `${unseen ? 'shortly before' : 'at'} ${formatDuration(headline!.seconds)}`;
  const much = `${unseen ? 'at least ' : ''}${formatBytes(headline!.bytes)}`;
  return [[title, `by this workload ${when}`, much, '', ''], inUse('')];
}

/** What a card's memory was made of at its headline: parts that add up, with who told each and when. */
export function heldRows(report: Report): TextTable {
  const cards = cardsShown(report).filter(({ usedByTree }) => usedByTree);
  const several = cards.length > 1;
  return {
    head: [...(several ? ['GPU'] : []), 'what', 'memory', 'told by', 'read'],
    body: cards.flatMap((gpu) =>
      heldCells(gpu).map((row) => (several ? [`${gpu.gpu}`, ...row] : row)),
    ),
    right: new Set([several ? 2 : 1]),
    rest: null,
  };
}

function heldCells({ accounting, headline }: GpuFacts): string[][] {
  if (!accounting || accounting.rows.length === 0) return [];
  const { rows, usedBytes } = accounting;
  const others = rows.filter(({ pid }) => pid !== null);
  const hidden = others.slice(MOST_OTHERS);
  const shown = rows.filter((row) => !hidden.includes(row));
  const cells = shown.map(({ what, bytes, from, secondsOff }) => [
    printable(what),
    formatBytes(bytes),
    from,
    offWords(secondsOff),
  ]);
  if (hidden.length > 0) {
    const all = hidden.reduce((sum, { bytes }) => sum + bytes, 0);
    const words = count(hidden.length, 'more process', 'more processes');
    const last = shown.findLastIndex(({ pid }) => pid !== null);
    const row = [words, formatBytes(all), hidden[0]!.from, offWords(hidden[0]!.secondsOff)];
    cells.splice(last + 1, 0, row);
  }
  const sum = headline!.of === 'torch' ? 'the sum of these, at least' : 'in use on the card';
  return [...cells, [sum, formatBytes(usedBytes), '', '']];
}

/** Readings within a hundredth of a second are of one moment. */
const offWords = (seconds: number) =>
  Math.abs(seconds) < 0.01
    ? 'at the peak'
    : `${formatDuration(Math.abs(seconds))} ${seconds < 0 ? 'before' : 'after'}`;

function processCells({ pid, ofTree, role, rank, bytes }: GpuProcess): string[] {
  const who = ofTree === null ? 'a process' : ofTree ? role || 'this workload' : 'another process';
  const held = bytes === null ? 'not told' : formatBytes(bytes);
  return ['', printable(who), held, String(pid), rank === null ? '' : String(rank)];
}

/** A process tells within a quarter of a second of what its allocator never had before. */
const SAME_MOMENT = 0.25;

const signed = (bytes: number) => (bytes < 0 ? `−${formatBytes(-bytes)}` : formatBytes(bytes));

/** The line of the program that ran at each card's peak, where its process told. */
export function gpuRunning(report: Report): string[] {
  const cards = cardsShown(report);
  const several = cards.length > 1;
  return cards.flatMap(({ gpu, running }) =>
    cardRunning(running).map((words) => (several ? `GPU ${gpu}: ${words}` : words)),
  );
}

const cardRunning = (running: Running | null): string[] =>
  runningWords(running).map((words) =>
    Math.abs(running!.secondsOff) <= SAME_MOMENT
      ? words
      : `${words} (told ${offWords(running!.secondsOff)} the peak)`,
  );

/** What to know about these figures; a sentence that holds for several cards is said once. */
export function gpuNotes(report: Report): string[] {
  const cards = cardsShown(report);
  const all = cards.flatMap(({ gpu, notes }) => notes.map((note) => ({ gpu, note })));
  const several = cards.length > 1;
  return [...new Set(all.map(({ note }) => note))].map((note) => {
    const where = all.filter((one) => one.note === note).map(({ gpu }) => gpu);
    return printable(several ? `GPU ${where.join(', ')}: ${note}` : note);
  });
}

/** What held each card at its headline. */
export function cardAccounts(report: Report): Account[] {
  return cardsShown(report).flatMap(({ gpu, headline, accounting, running }): Account[] => {
    if (!headline || !accounting) return [];
    const whose = headline.of === 'card' ? 'its peak' : 'the peak of this workload';
    return [
      {
        title: `What held GPU ${gpu} at ${whose} (${formatDuration(headline.seconds)})`,
        bytes: accounting.usedBytes,
        counted: 'in use on the card',
        ran: cardRunning(running)[0],
        of: 'processes',
        parts: accounting.rows.map(({ what, bytes, from, secondsOff, pid }) => ({
          key: from === 'what is left' ? 'rest' : pid === null ? what : String(pid),
          label: printable(what),
          bytes,
          about: `told by ${from}, ${offWords(secondsOff)}`,
        })),
      },
    ];
  });
}
