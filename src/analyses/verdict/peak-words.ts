import { formatBytes } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import type { Headline } from '../peaks.ts';
import type { ReportFacts } from '../report-facts.ts';
import type { VerdictBuilder } from './builder.ts';

/** How much, and when. The GPU first where the workload uses one: that is what runs out first. */
export function peakWords(report: ReportFacts, words: VerdictBuilder): string {
  const { headline } = report;
  const gpu = gpuPeakWords(report, words);
  if (!headline || (gpu && headline.measure === 'card'))
    return gpu ? `Peak ${gpu}` : 'No memory was sampled';
  const { at, bytes, how } = hostPeak(headline);
  const brackets = how === '' ? '' : ` (${how})`;
  if (gpu) return `Peak ${gpu}, ${bytes} of host memory${brackets} ${at}`;
  return `Peak ${bytes}${brackets} ${at}`;
}

/** The tree's share is worth a word where it is not about all of what is in use. */
const NEARLY_ALL = 0.98;

/** `11.3 GiB on GPU 0 (NVIDIA H200) at 4.10 s`, of the card with most; null without any. */
function gpuPeakWords({ gpus }: ReportFacts, words: VerdictBuilder): string | null {
  const cards = gpus.filter(({ shown, headline }) => shown && headline !== null);
  const [first, second] = [...cards].sort((a, b) => b.headline!.bytes - a.headline!.bytes);
  if (!first) return null;
  const { bytes, seconds, of } = first.headline!;
  const name = first.name && words.theirs('card', first.name);
  const inside = [name, ...asides(first)].filter(Boolean).join('; ');
  const more = second
    ? `, up to ${formatBytes(second.headline!.bytes)} on ${count(cards.length - 1, 'other GPU')}`
    : '';
  const whose = of === 'card' ? '' : ' by this workload';
  const where = `GPU ${first.gpu}${whose}${inside ? ` (${inside})` : ''}`;
  const much = `${of === 'torch' ? 'at least ' : ''}${formatBytes(bytes)}`;
  const at = of === 'torch' ? 'shortly before' : 'at';
  return `${much} on ${where} ${at} ${formatDuration(seconds)}${more}`;
}

/** What else to know of the card's figure. */
function asides({ headline, usedByTree, accounting }: ReportFacts['gpus'][number]): string[] {
  const { bytes, of, othersBytes } = headline!;
  if (of === 'card') {
    const tree = accounting?.treeBytes ?? null;
    const apart = usedByTree && tree !== null && tree < NEARLY_ALL * bytes;
    return apart ? [`${formatBytes(tree)} of it by this workload`] : [];
  }
  const others =
    othersBytes === null || othersBytes === 0
      ? []
      : [`others had ${formatBytes(othersBytes)} of it then`];
  return of === 'torch' ? ["by torch's own peak counter", ...others] : others;
}

function hostPeak(headline: Headline): { at: string; bytes: string; how: string } {
  const at = `at ${formatDuration(headline.seconds)}`;
  const bytes = formatBytes(headline.bytes);
  const who =
    headline.processes === null ? [] : [count(headline.processes, 'process', 'processes')];
  const brackets = (...how: string[]) => [...how, ...who].join(', ');
  switch (headline.measure) {
    case 'kernel':
      return { at, bytes, how: brackets("control group, the kernel's own figure") };
    case 'proportional': {
      const how = headline.estimated ? ['proportional', 'estimated'] : ['proportional'];
      return { at, bytes, how: brackets(...how) };
    }
    case 'upper-bound':
      return { at, bytes: `at most ${bytes}`, how: brackets('summed RSS, an upper bound') };
    case 'machine':
      return { at: `in use on the whole machine ${at}`, bytes, how: '' };
    case 'card':
      return { at, bytes, how: 'all of a GPU' };
    case 'allocator':
      return { at, bytes, how: "requested of a device's allocator" };
  }
}
