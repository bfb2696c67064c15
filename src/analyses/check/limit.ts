import { formatBytes, parseSize } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import { printable } from '../../base/text.ts';

/** A limit on a run. `text` is how a user wrote it, or would. */
export type Limit = PeakLimit | LeakLimit | GrowthLimit | RegressLimit;

export interface PeakLimit {
  readonly kind: 'peak';
  readonly text: string;
  /** A series, or `gpu`, `torch`, `tree`: the highest of that family. */
  readonly series: string;
  readonly mostBytes: number;
}

export interface LeakLimit {
  readonly kind: 'leak';
  readonly text: string;
}

export interface GrowthLimit {
  readonly kind: 'growth';
  readonly text: string;
  /** null: that of the headline trend. */
  readonly series: string | null;
  readonly mostBytes: number;
  readonly per: Per;
}

export interface RegressLimit {
  readonly kind: 'regress';
  readonly text: string;
  /** 0.03: three percent more than the baseline. */
  readonly share: number;
  /** null: those that repeat best among what both have. */
  readonly series: string | null;
}

const PER = ['iteration', 'epoch', 'second', 'minute', 'hour', 'day'] as const;
export type Per = (typeof PER)[number];

const SERIES = String.raw`[a-z][a-z0-9_]*(?:\.[a-z_]+)?`;

/** `tree.pss<=8GiB` */
export function parsePeak(text: string): PeakLimit {
  const match = new RegExp(`^\\s*(${SERIES})\\s*(<=|≤|<)\\s*(.+)$`, 'i').exec(text);
  if (!match) throw wrong(text, 'a peak', 'tree.pss<=8GiB');
  const mostBytes = parseSize(match[3]!);
  const series = match[1]!.toLowerCase();
  return { kind: 'peak', text: `${series} <= ${formatBytes(mostBytes)}`, series, mostBytes };
}

/** `<=1MiB/iteration` or `tree.rss<=50MB/hour` */
export function parseGrowth(text: string): GrowthLimit {
  const match = new RegExp(`^\\s*(${SERIES})?\\s*(<=|≤|<)\\s*([^/]+)/\\s*([a-z]+)\\s*$`, 'i').exec(
    text,
  );
  const per = PER.find((one) => one === match?.[4]?.toLowerCase());
  if (!match || !per) throw wrong(text, 'a growth', `<=1MiB/iteration (or ${PER.join(', ')})`);
  const mostBytes = parseSize(match[3]!);
  const series = match[1]?.toLowerCase() ?? null;
  const name = series === null ? 'growth' : `growth of ${series}`;
  return {
    kind: 'growth',
    text: `${name} <= ${formatBytes(mostBytes)}/${per}`,
    series,
    mostBytes,
    per,
  };
}

/** `3%` or `tree.pss:3%` */
export function parseRegress(text: string): RegressLimit {
  const match = new RegExp(
    `^\\s*(?:(${SERIES})\\s*[:<]=?)?\\s*(\\d+(?:\\.\\d+)?)\\s*%\\s*$`,
    'i',
  ).exec(text);
  if (!match) throw wrong(text, 'a share', '3% or gpu0.tree:3%');
  const series = match[1]?.toLowerCase() ?? null;
  const what = series === null ? '' : `${series} `;
  return {
    kind: 'regress',
    text: `${what}at most ${match[2]} % over the baseline`,
    share: Number(match[2]) / 100,
    series,
  };
}

export const NO_LEAK: LeakLimit = { kind: 'leak', text: 'no leak' };

function wrong(text: string, what: string, example: string): UserError {
  return new UserError(`'${printable(text)}' is not ${what}`, { hint: `write it as ${example}` });
}
