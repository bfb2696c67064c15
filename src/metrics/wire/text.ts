import { METRICS, type Metric, prometheusName, prometheusPeakName } from '../list.ts';
import type { Sample } from '../samples.ts';

export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Prometheus' text format, of samples of one moment; without times, as files of node_exporter must be. */
export function textExposition(samples: readonly Sample[]): string {
  const byName = new Map<string, Sample[]>();
  for (const sample of samples) {
    const name = nameOf(sample);
    byName.set(name, [...(byName.get(name) ?? []), sample]);
  }
  const blocks = [...byName].map(([name, of]) => {
    const { what, kind }: Metric = METRICS[of[0]!.metric];
    const help = of[0]!.isPeak ? `${what} (largest of a window)` : what;
    return [
      `# HELP ${name} ${escaped(help)}`,
      `# TYPE ${name} ${kind}`,
      ...of.map(({ labels, value }) => `${name}{${labelText(labels)}} ${value}`),
    ].join('\n');
  });
  return blocks.length === 0 ? '' : `${blocks.join('\n')}\n`;
}

const nameOf = ({ metric, isPeak }: Sample) =>
  isPeak ? prometheusPeakName(METRICS[metric]) : prometheusName(METRICS[metric]);

const labelText = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
    .join(',');

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
