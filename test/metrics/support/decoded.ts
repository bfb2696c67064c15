import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PbfReader } from 'pbf';
import { compile } from 'pbf/compile';
import schema from 'protocol-buffers-schema';
import { uncompress } from 'snappyjs';

/** Reads what was pushed by the published schemas, with libraries that know nothing of our encoders. */
type Reader = (pbf: PbfReader) => unknown;
const readers = (file: string) =>
  compile(schema.parse(readFileSync(join(import.meta.dirname, file), 'utf8'))) as Record<
    string,
    Reader
  >;
const remoteWrite = readers('remote-write.proto');
const otlpReaders = readers('otlp.proto');

export interface Received {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly timeMs: number;
}

interface Samples {
  readonly samples: readonly { value: number; timestamp: number }[];
}
interface Labelled extends Samples {
  readonly labels: readonly { name: string; value: string }[];
}
interface Referred extends Samples {
  readonly labels_refs: readonly number[];
}
interface Metadata {
  readonly metadata: { type: number; help_ref: number; unit_ref: number };
}

export function decodeRemoteWrite1(body: Uint8Array): Received[] {
  const pbf = new PbfReader(uncompress(body));
  const { timeseries } = remoteWrite.readWriteRequest!(pbf) as { timeseries: Labelled[] };
  return timeseries.flatMap(({ labels, samples }) =>
    received(
      labels.map(({ name, value }) => [name, value] as const),
      samples,
    ),
  );
}

export function decodeRemoteWrite2(
  body: Uint8Array,
): (Received & { help: string; type: number })[] {
  const pbf = new PbfReader(uncompress(body));
  const { symbols, timeseries } = remoteWrite.readRequest!(pbf) as {
    symbols: string[];
    timeseries: (Referred & Metadata)[];
  };
  return timeseries.flatMap(({ labels_refs: refs, samples, metadata }) => {
    const pairs = Array.from(
      { length: refs.length / 2 },
      (_, pair) => [symbols[refs[2 * pair]!]!, symbols[refs[2 * pair + 1]!]!] as const,
    );
    const { help_ref, type } = metadata;
    return received(pairs, samples).map((one) => ({ ...one, help: symbols[help_ref]!, type }));
  });
}

function received(
  pairs: readonly (readonly [string, string])[],
  samples: Samples['samples'],
): Received[] {
  const { __name__: name = '', ...labels } = Object.fromEntries(pairs);
  return samples.map(({ value, timestamp }) => ({ name, labels, value, timeMs: timestamp }));
}

interface Attributes {
  readonly attributes: readonly { key: string; value: { string_value: string } }[];
}
interface Points {
  readonly data_points: readonly (Attributes & { as_double: number; time_unix_nano: number })[];
}
interface Exported {
  readonly resource_metrics: readonly {
    readonly resource: Attributes;
    readonly scope_metrics: readonly {
      readonly metrics: readonly {
        name: string;
        unit: string;
        gauge?: Points;
        sum?: Points & { aggregation_temporality: number; is_monotonic: boolean };
      }[];
    }[];
  }[];
}

export function decodeOtlp(body: Uint8Array): {
  resource: Record<string, string>;
  points: (Received & { unit: string; kind: 'gauge' | 'sum' })[];
} {
  const read = otlpReaders.readExportMetricsServiceRequest!(
    new PbfReader(gunzipSync(body)),
  ) as Exported;
  const [only] = read.resource_metrics;
  const texts = ({ attributes }: Attributes) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.string_value]));
  return {
    resource: texts(only!.resource),
    points: only!.scope_metrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ name, unit, gauge, sum }) =>
        (sum ?? gauge!).data_points.map((point) => ({
          name,
          unit,
          kind: sum ? ('sum' as const) : ('gauge' as const),
          labels: texts(point),
          value: point.as_double,
          timeMs: point.time_unix_nano / 1e6,
        })),
      ),
    ),
  };
}
