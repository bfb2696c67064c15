import { gzipSync } from 'node:zlib';
import { METRICS, type Metric, otlpName, otlpPeakName } from '../list.ts';
import { bySeries, type Sample, type SampledSeries } from '../samples.ts';
import type { Encoded } from './encoded.ts';
import { Message } from './protobuf.ts';

/** OTLP/HTTP: https://opentelemetry.io/docs/specs/otlp; as protobuf, since some servers take nothing else. */
const UNITS = { bytes: 'By', seconds: 's', count: '' } as const;
const CUMULATIVE = 2;

/** Metrics of one run. */
export function otlp(samples: readonly Sample[], version: string): Encoded {
  const byName = new Map<string, SampledSeries[]>();
  for (const series of bySeries(samples)) {
    const name = nameOf(series);
    byName.set(name, [...(byName.get(name) ?? []), series]);
  }
  const { job = '', run = '', host = '' } = samples[0]?.labels ?? {};
  const started = samples.find(({ metric }) => metric === 'started')?.value ?? 0;
  const request = new Message().message(1, (resourceMetrics) => {
    resourceMetrics.message(1, (resource) => {
      // Prometheus makes `job` and `instance` of the first two.
      attribute(resource, 1, 'service.name', job);
      attribute(resource, 1, 'service.instance.id', run);
      attribute(resource, 1, 'host.name', host);
    });
    resourceMetrics.message(2, (scope) => {
      scope.message(1, (name) => name.string(1, 'highwater').string(2, version));
      for (const [name, series] of byName)
        scope.message(2, (metric) => fillMetric(metric, name, series, started));
    });
  });
  return {
    body: gzipSync(request.bytes, { level: 1 }),
    headers: { 'content-encoding': 'gzip', 'content-type': 'application/x-protobuf' },
  };
}

const nameOf = ({ metric, isPeak }: SampledSeries) =>
  isPeak ? otlpPeakName(METRICS[metric]) : otlpName(METRICS[metric]);

function fillMetric(
  message: Message,
  name: string,
  series: readonly SampledSeries[],
  started: number,
): void {
  const { what, unit, kind, attributes = {} }: Metric = METRICS[series[0]!.metric];
  message.string(1, name).string(2, what).string(3, UNITS[unit]);
  const fill = (data: Message) => {
    for (const { labels, samples } of series) {
      for (const { value, timeMs } of samples) {
        data.message(1, (point) => {
          if (kind === 'counter') point.fixed64(2, nanoseconds(started * 1000));
          point.fixed64(3, nanoseconds(timeMs)).double(4, value);
          const uuid = labels.uuid && { 'hw.id': labels.uuid, 'hw.type': 'gpu' };
          for (const [key, text] of Object.entries({ ...labels, ...attributes, ...uuid }))
            attribute(point, 7, key, text);
        });
      }
    }
    if (kind === 'counter') data.number(2, CUMULATIVE).number(3, 1);
  };
  message.message(kind === 'counter' ? 7 : 5, fill);
}

const nanoseconds = (ms: number) => BigInt(Math.round(ms)) * 1_000_000n;

function attribute(message: Message, field: number, key: string, value: string): void {
  message.message(field, (pair) => pair.string(1, key).message(2, (any) => any.string(1, value)));
}
