import type { WhatIfFigures } from '../../analyses/allocations/what-if/answer.ts';
import type { DiesAt, WhatIfRow } from '../../analyses/allocations/what-if/rows.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, percent } from '../../base/text.ts';

/** A column of the table of settings, for a terminal and for a page. */
export interface WhatIfColumn {
  readonly key: string;
  readonly head: string;
  /** Set flush right. */
  readonly figure: boolean;
  /** What is read. */
  words(row: WhatIfRow): string;
  /** What a spreadsheet gets; null: not known, or nothing to say. */
  value(row: WhatIfRow): string | number | null;
}

/** Columns that say nothing of these rows are left out. */
export function whatIfColumns(answer: WhatIfFigures): WhatIfColumn[] {
  const { rows } = answer;
  const limited = rows.some(({ limitBytes }) => limitBytes !== null);
  const smallest = rows.some((row) => row.smallest !== null);
  const bytes = (key: keyof WhatIfRow, head: string, of: (row: WhatIfRow) => number | null) =>
    figure(key, head, of, (row) => {
      const value = of(row);
      return value === null ? '' : formatBytes(value);
    });
  return [
    {
      ...{ key: 'conf', head: 'settings', figure: false },
      words: ({ conf }) => conf,
      value: ({ conf }) => conf,
    },
    ...(limited ? [bytes('limitBytes', 'limit', (row) => row.limitBytes)] : []),
    bytes('reservedPeakBytes', 'reserved', (row) => row.reservedPeakBytes),
    figure(
      'savingBytes',
      'saves',
      (row) => row.savingBytes,
      (row) => savingWords(row, answer),
    ),
    figure('fragmentationBytes', 'unused', (row) => row.fragmentationBytes, unusedWords),
    figure('deviceAllocs', 'cudaMallocs', (row) => row.deviceAllocs),
    figure('retries', 'retries', (row) => row.retries),
    ...(smallest
      ? [figure('smallest', 'runs from', (row) => row.smallest?.bytes ?? null, smallestWords)]
      : []),
    {
      ...{ key: 'outcome', head: '', figure: false },
      words: (row) => outcomeWords(row, answer),
      value: (row) => outcomeWords(row, answer),
    },
  ];
}

const figure = (
  key: keyof WhatIfRow,
  head: string,
  value: (row: WhatIfRow) => number | null,
  words = (row: WhatIfRow) => String(value(row)),
): WhatIfColumn => ({ key, head, figure: true, value, words });

function savingWords({ savingBytes, outcome }: WhatIfRow, { recorded }: WhatIfFigures): string {
  if (savingBytes === null) {
    return outcome === 'dies' || recorded.outcome === 'dies' ? '' : 'not proven';
  }
  if (savingBytes === 0) return '0';
  return savingBytes > 0 ? formatBytes(savingBytes) : `−${formatBytes(-savingBytes)}`;
}

const unusedWords = ({ fragmentationBytes, reservedPeakBytes }: WhatIfRow) =>
  `${formatBytes(fragmentationBytes)} (${percent(fragmentationBytes / Math.max(reservedPeakBytes, 1))})`;

function smallestWords({ smallest }: WhatIfRow): string {
  if (!smallest) return '';
  const { bytes, retries } = smallest;
  return retries > 0
    ? `${formatBytes(bytes)} (${count(retries, 'retry', 'retries')})`
    : formatBytes(bytes);
}

function outcomeWords(row: WhatIfRow, { recorded, card }: WhatIfFigures): string {
  if (row.outcomeAtMost === 'runs') return 'may run: the limit is not known closely enough';
  if (row.diesAt) return `DIES ${diesWords(row.diesAt)}`;
  if (card) {
    const runs = row.retries > 0 ? `runs with ${count(row.retries, 'retry', 'retries')}` : 'runs';
    return row.isRecorded ? `${runs}, settings as recorded` : runs;
  }
  if (recorded.outcome === 'dies' && recorded.exact) return 'runs to the end of the trace';
  if (row.isRecorded && row.limitBytes === null) return 'as recorded';
  return row.savingBytes !== null && row.savingBytes < 0 ? 'worse' : '';
}

/** Where a request finds no memory. */
export function diesWords({ event, requestedBytes, moment, where }: DiesAt): string {
  if (event < 0) return 'before the trace begins';
  const step = moment.step === null ? `at event ${event}` : `in step ${moment.step}`;
  const phase = moment.phase === null ? '' : ` (${moment.phase})`;
  return `${step}${phase}, asking for ${formatBytes(requestedBytes)}${where === null ? '' : ` at ${where}`}`;
}
