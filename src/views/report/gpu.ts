import type { GpuFacts, GpuProcess } from '../../analyses/gpu/index.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { NONE, type TextTable } from '../table.ts';
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
  if (!gpu.peak) return [[title, 'not measured', NONE, '', '']];
  const of = gpu.memoryBytes === null ? '' : ` of ${formatBytes(gpu.memoryBytes)}`;
  const at = `in use at ${formatDuration(gpu.peak.seconds)}${of}`;
  const rows = [[title, at, formatBytes(gpu.peak.bytes), '', '']];
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

function processCells({ pid, ofTree, role, rank, bytes }: GpuProcess): string[] {
  const who = ofTree === null ? 'a process' : ofTree ? role || 'this workload' : 'another process';
  const held = bytes === null ? 'not told' : formatBytes(bytes);
  return ['', printable(who), held, String(pid), rank === null ? '' : String(rank)];
}

const signed = (bytes: number) => (bytes < 0 ? `−${formatBytes(-bytes)}` : formatBytes(bytes));

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

/** Who held each card at its peak. */
export function cardAccounts(report: Report): Account[] {
  return cardsShown(report).flatMap((gpu): Account[] => {
    if (!gpu.peak || !gpu.accounting) return [];
    const processes = gpu.accounting.processes.map(({ pid, role, bytes, ofTree }) => ({
      key: String(pid),
      label: printable(role ?? (ofTree === false ? `another's process ${pid}` : `process ${pid}`)),
      bytes: bytes ?? 0,
      about: null,
    }));
    const rest = Math.max(0, gpu.accounting.unexplainedBytes);
    const left = { key: 'rest', label: 'held by no listed process', bytes: rest, about: null };
    return [
      {
        title: `GPU ${gpu.gpu} at its peak (${formatDuration(gpu.peak.seconds)})`,
        bytes: gpu.peak.bytes,
        of: 'processes',
        parts: [...processes, left].filter(({ bytes }) => bytes > 0),
      },
    ];
  });
}
