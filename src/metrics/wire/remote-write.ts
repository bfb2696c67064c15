import { METRICS, type Metric, prometheusName, prometheusPeakName } from '../list.ts';
import { bySeries, type Sample, type SampledSeries } from '../samples.ts';
import type { Encoded } from './encoded.ts';
import { Message } from './protobuf.ts';
import { snappy } from './snappy.ts';

/**
 * Labels as they were written for one server last: of a window they are most of the bytes, and the next one has the same.
 * Those of series that a request has not are let go.
 */
export type KnownLabels = Map<string, Uint8Array>;

/** Prometheus remote-write 1.0: https://prometheus.io/docs/specs/prw/remote_write_spec */
export function remoteWrite1(samples: readonly Sample[], known: KnownLabels = new Map()): Encoded {
  const request = new Message();
  const before = new Map(known);
  known.clear();
  for (const series of bySeries(samples)) {
    const labels = before.get(series.key) ?? encodedLabels(series);
    known.set(series.key, labels);
    request.message(1, (one) => addSamples(one.fields(labels), series));
  }
  return {
    body: snappy(request.bytes),
    headers: {
      'content-encoding': 'snappy',
      'content-type': 'application/x-protobuf',
      'x-prometheus-remote-write-version': '0.1.0',
    },
  };
}

const GAUGE = 2;
const COUNTER = 1;

/** 2.0, in which each text stands once: https://prometheus.io/docs/specs/prw/remote_write_spec_2_0 */
export function remoteWrite2(samples: readonly Sample[]): Encoded {
  const symbols = new Map([['', 0]]);
  const idOf = (text: string) => {
    const known = symbols.get(text);
    if (known !== undefined) return known;
    symbols.set(text, symbols.size);
    return symbols.size - 1;
  };
  const parts = bySeries(samples).map((series) => {
    const one = new Message();
    one.packed(1, labelsOf(series).flat().map(idOf));
    addSamples(one, series);
    const { kind, what, unit }: Metric = METRICS[series.metric];
    return one.message(5, (metadata) =>
      metadata
        .number(1, kind === 'counter' ? COUNTER : GAUGE)
        .number(3, idOf(series.isPeak ? `${what} (largest of a window)` : what))
        .number(4, idOf(unit === 'count' ? '' : unit)),
    );
  });
  const request = new Message();
  for (const text of symbols.keys()) request.string(4, text);
  for (const part of parts) request.blob(5, part.bytes);
  return {
    body: snappy(request.bytes),
    headers: {
      'content-encoding': 'snappy',
      'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
      'x-prometheus-remote-write-version': '2.0.0',
    },
  };
}

function encodedLabels(series: SampledSeries): Uint8Array {
  const labels = new Message();
  for (const [name, value] of labelsOf(series))
    labels.message(1, (label) => label.string(1, name).string(2, value));
  return labels.bytes;
}

function addSamples(message: Message, { samples }: SampledSeries): void {
  for (const { value, timeMs } of samples)
    message.message(2, (sample) => sample.double(1, value).number(2, timeMs));
}

/** Sorted by name, as both versions ask; upper case first, which ours have none of. */
function labelsOf({ metric, isPeak, labels }: SampledSeries): [string, string][] {
  const spec: Metric = METRICS[metric];
  const name = isPeak ? prometheusPeakName(spec) : prometheusName(spec);
  const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return [['__name__', name], ...sorted];
}
