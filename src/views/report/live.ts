import type { Live } from '../../analyses/live.ts';
import { formatBytes } from '../../base/bytes.ts';
import { percent } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { growthSoFar } from './leak.ts';

/** One figure of a run that goes on. */
export interface LiveFigure {
  readonly id: 'running' | 'now' | 'growth' | 'full' | 'missed' | 'stolen';
  readonly label: string;
  readonly value: string;
  /** Why, of what, since when. */
  readonly detail: string;
  readonly tone: 'bad' | 'plain';
}

/** Shares from which on they change what the figures mean; the live line of `record` has the same. */
const NOTABLE_MISSED = 0.01;
const NOTABLE_STEAL = 0.05;

/** How it stands, how it grows and until when there is room, and what speaks against trusting that. */
export function liveFigures({ seconds, now, leak, recent }: Live): LiveFigure[] {
  const { rate, detail, full, soon } = growthSoFar(leak);
  const figures: LiveFigure[] = [
    {
      id: 'running',
      label: 'running for',
      value: formatDuration(seconds),
      detail: '',
      tone: 'plain',
    },
  ];
  if (now)
    figures.push({
      id: 'now',
      label: 'now',
      value: formatBytes(now.bytes),
      detail: now.series,
      tone: 'plain',
    });
  figures.push({ id: 'growth', label: 'growth', value: rate, detail, tone: 'plain' });
  if (full) figures.push({ id: 'full', label: 'full in', ...full, tone: soon ? 'bad' : 'plain' });
  if (recent) {
    const over = `of the last ${formatDuration(recent.seconds)}`;
    figures.push({
      id: 'missed',
      label: 'samples missed',
      value: shareWords(recent.missedShare),
      detail: over,
      tone: recent.missedShare > NOTABLE_MISSED ? 'bad' : 'plain',
    });
    if (recent.stolenShare !== null)
      figures.push({
        id: 'stolen',
        label: 'steal',
        value: shareWords(recent.stolenShare),
        detail: `of the processors' time went to other guests of this machine's host, ${over}`,
        tone: recent.stolenShare > NOTABLE_STEAL ? 'bad' : 'plain',
      });
  }
  return figures;
}

const shareWords = (share: number) => (share === 0 ? 'none' : percent(share));
