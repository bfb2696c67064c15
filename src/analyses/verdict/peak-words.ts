import { formatBytes } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import type { Headline } from '../peaks.ts';
import type { ReportFacts } from '../report-facts.ts';

/**
 * How much, and when. The GPU first where the workload uses one: that is what runs out first. How it was measured, and which
 * card it is, the report's sections tell.
 */
export function peakWords(report: ReportFacts): string {
  const { headline } = report;
  const gpu = gpuPeakWords(report);
  if (!headline || (gpu && headline.measure === 'card'))
    return gpu ? `Peak ${gpu}` : 'No memory was sampled';
  const host = hostPeak(headline);
  if (!gpu) return `Peak ${host.bytes} ${host.at}`;
  // Where a card ran out, what the host held is no part of the answer.
  return cardRanOut(report)
    ? `Peak ${gpu}`
    : `Peak ${gpu}, ${host.bytes} of host memory ${host.at}`;
}

const cardRanOut = ({ outOfMemory, devices, ending }: ReportFacts) =>
  ending.how !== 'well' &&
  (outOfMemory.at(-1)?.place === 'gpu' || devices.some(({ oom }) => oom !== null));

/** The tree's share is worth a word where it is not about all of what is in use. */
const NEARLY_ALL = 0.98;

/** `11.3 GiB on GPU 0 at 4.10 s`, of the card with most; null without any. */
function gpuPeakWords({ gpus }: ReportFacts): string | null {
  const cards = gpus.filter(({ shown, headline }) => shown && headline !== null);
  const [first, second] = [...cards].sort((a, b) => b.headline!.bytes - a.headline!.bytes);
  if (!first) return null;
  const { bytes, seconds, of } = first.headline!;
  const more = second
    ? `, up to ${formatBytes(second.headline!.bytes)} on ${count(cards.length - 1, 'other GPU')}`
    : '';
  const whose = of === 'card' ? shareWords(first) : ' by this workload';
  const much = `${of === 'torch' ? 'at least ' : ''}${formatBytes(bytes)}`;
  const at = of === 'torch' ? 'shortly before' : 'at';
  return `${much} on GPU ${first.gpu}${whose} ${at} ${formatDuration(seconds)}${more}`;
}

/** Of a card that others use too, what of it was this workload's. */
function shareWords({ headline, usedByTree, accounting }: ReportFacts['gpus'][number]): string {
  const tree = accounting?.treeBytes ?? null;
  const apart = usedByTree && tree !== null && tree < NEARLY_ALL * headline!.bytes;
  return apart ? `, ${formatBytes(tree)} of it by this workload,` : '';
}

function hostPeak(headline: Headline): { at: string; bytes: string } {
  const at = `at ${formatDuration(headline.seconds)}`;
  const bytes = formatBytes(headline.bytes);
  switch (headline.measure) {
    case 'kernel':
    case 'proportional':
    case 'allocator':
      return { at, bytes };
    case 'upper-bound':
      return { at, bytes: `at most ${bytes}` };
    case 'machine':
      return { at: `in use on the whole machine ${at}`, bytes };
    case 'card':
      return { at: `on a GPU ${at}`, bytes };
  }
}
