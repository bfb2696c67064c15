import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';

/** What was done from inside the workload, as name and value. */
export function insideFacts({
  inside: { layers, gpuLimits, historyBytes },
}: Report): [string, string][] {
  const facts: [string, string][] = [];
  if (layers) {
    const { addedShare, steps, followed, processes } = layers;
    const where = processes > 1 ? `, in the process of ${processes} where it was most` : '';
    facts.push([
      'layers',
      `hooks took ${percent(addedShare)} of the time${where}: ${followed} of ${count(steps, 'step')} followed layer by layer`,
    ]);
  }
  for (const one of gpuLimits) {
    const who = one.processes > 1 ? ` in each of ${one.processes} processes` : '';
    facts.push([
      'GPU limit',
      `torch was held to ${formatBytes(one.allowedBytes)} on device ${one.device}${who}, of ${formatBytes(one.totalBytes)}; ` +
        `${formatBytes(one.contextBytes)} more were left to the CUDA context`,
    ]);
  }
  if (historyBytes > 0) {
    facts.push([
      'CUDA history',
      `about ${formatBytes(historyBytes)} of host memory are the agent's own`,
    ]);
  }
  return facts;
}

const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
