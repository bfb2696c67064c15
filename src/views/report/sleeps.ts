import type { MarkedPhase, Sleeper, SleepPart } from '../../analyses/plan/sleeps.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { engineName } from '../../model/engine-plan.ts';
import { bytesOr, NONE, type TextTable } from '../table.ts';

const PARTS: Readonly<Record<SleepPart['what'], string>> = {
  torch: "torch's allocator",
  context: 'context',
  nccl: 'NCCL',
  graphs: 'graphs',
  other: 'other',
  whole: 'not told apart',
};
const WHO: Readonly<Record<Sleeper['who'], string>> = {
  named: 'named by its log or marks',
  'only one': 'the only process',
  serves: 'the only one that serves',
  'became smaller': 'the one that became smaller each time',
};
const MOST_CYCLES = 8;

/** `asleep, process 70 still held 7.4 GiB: 5.1 graphs …; growing 3.6 GiB a cycle`. */
export const sleepLines = ({ sleeps }: Report): string[] => sleeps.map(sleepWords);

function sleepWords({ pid, engine, place, who, cycles, growth }: Sleeper): string {
  const last = cycles.at(-1)!;
  const whom = `${engine === '' ? 'process' : `${engineName(engine)}, process`} ${pid} (${WHO[who]})`;
  const split = last.parts.filter(({ what }) => what !== 'whole');
  const parts =
    split.length > 0
      ? `: ${split.map(({ what, bytes }) => `${formatBytes(bytes)} ${PARTS[what]}`).join(', ')}`
      : '';
  const where = place === 'card' ? 'on cards' : "of the host's memory, all that is resident";
  const grows =
    growth === null ? '' : `; ${growthWords(growth)} over ${count(cycles.length, 'sleep')}`;
  return printable(
    `asleep, ${whom} still held ${formatBytes(last.heldBytes)} ${where}${parts}${grows}`,
  );
}

function growthWords({ bytesPerCycle, low, high }: NonNullable<Sleeper['growth']>): string {
  const range = `(95 %: ${formatDelta(low)} to ${formatDelta(high)})`;
  if (low > 0) return `growing ${formatBytes(bytesPerCycle)} a cycle ${range}`;
  return `no growth from sleep to sleep was shown ${range}`;
}

export function sleepRows({ sleeps }: Report): TextTable {
  const rows = sleeps.flatMap(({ pid, cycles }) =>
    cycles.map((one, i) => ({ pid, number: i + 1, ...one })),
  );
  const hidden = rows.length - MOST_CYCLES;
  return {
    head: ['process', 'sleep', 'from', 'to', 'most before', 'held asleep'],
    body: rows
      .slice(-MOST_CYCLES)
      .map((one) => [
        String(one.pid),
        String(one.number),
        formatDuration(one.fromSeconds),
        one.untilSeconds === null ? 'the end' : formatDuration(one.untilSeconds),
        bytesOr(one.awakeBytes),
        formatBytes(one.heldBytes),
      ]),
    right: new Set([0, 1, 2, 3, 4, 5]),
    rest: hidden > 0 ? `and ${count(hidden, 'sleep')} before` : null,
  };
}

export function phaseRows({ phases }: Report): TextTable {
  return {
    head: ['process', 'phase', 'times', 'in all', 'at most', 'at', 'of'],
    body: phases.map((one: MarkedPhase) => [
      String(one.pid),
      printable(one.name),
      one.times.toLocaleString('en-US'),
      formatDuration(one.seconds),
      bytesOr(one.peakBytes),
      one.peakSeconds === null ? NONE : formatDuration(one.peakSeconds),
      one.place,
    ]),
    right: new Set([0, 2, 3, 4, 5]),
    rest: null,
  };
}
