import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { whatFrameworksDo } from '../../model/frameworks.ts';
import type { Fact } from './section.ts';

/** How well it was measured, as name and value. */
export function samplingFacts(report: Report): Fact[] {
  const { sampling, timing, trust, recording } = report;
  const facts: Fact[] = [];
  const rate = sampling.reachedHz === null ? '' : `, reached ${sampling.reachedHz.toFixed(1)} Hz`;
  if (sampling.askedHz > 0) {
    const missed = sampling.missed > 0 ? `, ${sampling.missed} missed` : ', none missed';
    const samples = count(sampling.ticks || sampling.samples, 'sample');
    facts.push(['samples', `${samples} at ${sampling.askedHz} Hz${rate}${missed}`]);
  } else {
    facts.push(['samples', String(sampling.samples)]);
  }
  if (trust.stolenShare !== null && trust.stolenShare > 0.005) {
    facts.push([
      'stolen',
      `${percent(trust.stolenShare)} of the processors' time, by other guests of its host`,
    ]);
  }
  if (sampling.latenessMs) {
    const { p50, p99, max } = sampling.latenessMs;
    const ms = (value: number) => `${value.toFixed(2)} ms`;
    facts.push(['lateness', `p50 ${ms(p50)}, p99 ${ms(p99)}, largest ${ms(max)}`]);
  }
  if (timing.cores !== undefined) {
    facts.push(['processors', `${timing.cores.toFixed(2)} cores on average`]);
  }
  if (sampling.recorderCpuSeconds !== null) {
    facts.push(['recorder', `${formatDuration(sampling.recorderCpuSeconds)} of processor time`]);
  }
  if (trust.pss && trust.pss.estimatedShare > 0) {
    const percent = (trust.pss.estimatedShare * 100).toFixed(
      trust.pss.estimatedShare < 0.1 ? 1 : 0,
    );
    facts.push(['PSS', `estimated in ${percent} % of the readings`]);
  }
  for (const { id, reason, remedy } of trust.unavailable) {
    facts.push(['not measured', printable(`${id}: ${reason}${remedy ? ` (${remedy})` : ''}`)]);
  }
  const machine = machineWords(recording.host);
  if (machine !== '') facts.push(['machine', machine]);
  return facts;
}

/** `node7, 6.8.0-31-generic, 16 processors, 126 GiB`; empty where the recording does not tell its machine. */
export function machineWords({
  name,
  kernel,
  cpus,
  memoryBytes,
}: Report['recording']['host']): string {
  if (!name) return '';
  const parts = [name, kernel, cpus > 0 ? count(cpus, 'processor') : ''];
  if (memoryBytes !== null) parts.push(formatBytes(memoryBytes));
  return printable(parts.filter(Boolean).join(', '));
}

/** What was done from inside the workload, as name and value. */
export function insideFacts({ recording, inside }: Report): Fact[] {
  const { layers, gpuLimits, historyBytes } = inside;
  const facts: Fact[] = [];
  const done = whatFrameworksDo(recording.frameworks ?? []);
  if (done) facts.push(['training', done]);
  if (layers) {
    const { addedShare, steps, followed, tagged, processes } = layers;
    const where = processes > 1 ? `, in the process of ${processes} where it was most` : '';
    facts.push([
      'layers',
      `hooks took ${percent(addedShare)} of the time${where}: ${followed} of ${count(steps, 'step')} followed layer by layer` +
        (tagged === null ? '' : `, allocations of ${tagged} with tags`),
    ]);
  }
  for (const one of gpuLimits) {
    const who = one.processes > 1 ? ` in each of ${one.processes} processes` : '';
    facts.push([
      'GPU limit',
      `torch was held to ${formatBytes(one.allowedBytes)} on device ${one.device}${who}, of ${formatBytes(one.totalBytes)}; ` +
        `${formatBytes(one.contextBytes)} more were left to the CUDA context` +
        (one.contextKnown ? '' : ', about: the driver did not tell what this process held'),
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
