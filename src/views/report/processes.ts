import type { ProcessFacts } from '../../analyses/processes/index.ts';
import type { OwnMemory } from '../../analyses/processes/own-memory.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { ellipsize, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { bytesOr, NONE, type TextTable } from '../table.ts';
import type { Account } from './section.ts';

export function processRows(report: Report, most: number, commandWidth: number): TextTable {
  const { roles, own } = report.processes;
  const shown = roles.slice(0, most);
  const hidden = roles.length - shown.length;
  return {
    head: ['role', 'pid', 'PSS at peak', 'peak RSS', 'kernel HWM', 'seen', 'command'],
    body: [...shown.map((facts) => processCells(facts, commandWidth)), ...own.map(ownCells)],
    right: new Set([1, 2, 3, 4]),
    rest: hidden > 0 ? `and ${hidden} more` : null,
  };
}

function ownCells(own: OwnMemory): string[] {
  const { inside, pids, peakRss, peakPrivate, firstSeconds, lastSeconds } = own;
  const what = inside ? 'kept in it by V8 for heaps taken' : 'writes down what the program held';
  const only = inside || peakPrivate === null ? '' : `, ${formatBytes(peakPrivate)} its own`;
  return [
    'highwater itself',
    pids.length === 1 ? String(pids[0]) : `${pids.length} pids`,
    NONE,
    bytesOr(peakRss),
    NONE,
    `${formatDuration(firstSeconds)} – ${formatDuration(lastSeconds)}`,
    `${what}${only}; in no other figure`,
  ];
}

function processCells(facts: ProcessFacts, commandWidth: number): string[] {
  const { pids, firstSeconds, lastSeconds } = facts;
  const seen =
    firstSeconds === null || lastSeconds === null
      ? NONE
      : `${formatDuration(firstSeconds)} – ${formatDuration(lastSeconds)}`;
  return [
    printable(facts.role || facts.name || NONE),
    pids.length === 1 ? String(pids[0]) : `${pids.length} pids`,
    bytesOr(facts.pssAtPeak),
    bytesOr(facts.peakRss),
    bytesOr(facts.hwm),
    seen,
    ellipsize(printable(facts.argv || facts.name || NONE), commandWidth),
  ];
}

/** Who of the process tree held how much at its peak. */
export function treeAccount({ processes }: Report): Account {
  const held = processes.roles.map((facts) => ({
    key: facts.role || facts.name,
    label: printable(facts.role || facts.name || `pid ${facts.pids[0]}`),
    bytes: facts.pssAtPeak ?? facts.rssAtPeak ?? 0,
    about: facts.argv ? printable(facts.argv) : null,
  }));
  const parts = held.filter(({ bytes }) => bytes > 0);
  const at = processes.peakSeconds === null ? '' : ` (${formatDuration(processes.peakSeconds)})`;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const shared = processes.roles.some(({ pssAtPeak }) => pssAtPeak !== null);
  const counted = shared ? 'proportional (PSS)' : 'summed RSS';
  return { title: `Process tree at its peak${at}`, bytes, counted, of: 'processes', parts };
}
