import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partFolder } from './folder.ts';
import { answers, freePorts, type Server, serverFolder, startServer } from './server.ts';

/** What Debian's packages are: 2.42 of Debian 12, 3.5 of its testing suite. Neither is built with a receiver of OTLP. */
export type PrometheusVersion = '2.42' | '3.5';
export const PROMETHEUS_VERSIONS = ['2.42', '3.5'] as const;
export const PROMETHEUS_PART = { '2.42': 'debian', '3.5': 'testing' } as const;

export interface PrometheusOptions {
  /** Files of rules. */
  readonly rules?: readonly string[];
  /** Addresses to scrape, `host:port`, and how often. */
  readonly targets?: readonly string[];
  readonly scrapeSeconds?: number;
  /** How old a sample may be that is written late, as `30d`: without it 3 hours are refused. */
  readonly outOfOrder?: string;
  /** Where its data go, where not in a folder that goes with it. */
  readonly data?: string;
  /** More settings of `prometheus.yml`, and more flags. */
  readonly yaml?: string;
  readonly flags?: readonly string[];
}

export interface Prometheus extends Server {
  /** Where remote-write goes. */
  readonly writeUrl: string;
  /** Its data on the disk. */
  readonly data: string;
  query(expression: string, time?: number): Promise<Found[]>;
  queryRange(expression: string, from: number, to: number, step: number): Promise<FoundSeries[]>;
}

export interface Found {
  readonly metric: Readonly<Record<string, string>>;
  /** Seconds, and the value as text. */
  readonly value: readonly [number, string];
}
export interface FoundSeries {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

export const promtool = (version: PrometheusVersion = '3.5'): string =>
  join(partFolder(PROMETHEUS_PART[version]), 'usr/bin/promtool');

export async function startPrometheus(
  version: PrometheusVersion,
  options: PrometheusOptions = {},
): Promise<Prometheus> {
  const folder = serverFolder(`prometheus-${version}`);
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'prometheus.yml');
  const data = options.data ?? join(folder, 'data');
  writeFileSync(config, yaml(options));
  const root = partFolder(PROMETHEUS_PART[version]);
  const server = await startServer({
    command: join(root, 'usr/bin/prometheus'),
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--web.enable-remote-write-receiver',
      '--web.enable-admin-api',
      // Debian's own pages lie where it is not installed.
      `--web.console.templates=${root}/etc/prometheus/consoles`,
      `--web.console.libraries=${root}/etc/prometheus/console_libraries`,
      ...(options.flags ?? []),
    ],
    url,
    folder,
    ready: () => answers(`${url}/-/ready`),
  });
  return {
    ...server,
    writeUrl: `${url}/api/v1/write`,
    data,
    query: (expression, time) =>
      ask(`${url}/api/v1/query`, { query: expression, ...(time !== undefined && { time }) }),
    queryRange: (expression, start, end, step) =>
      ask(`${url}/api/v1/query_range`, { query: expression, start, end, step }),
  };
}

function yaml({ rules, targets, scrapeSeconds = 1, outOfOrder, yaml: more }: PrometheusOptions) {
  const lines = [
    'global:',
    `  scrape_interval: ${scrapeSeconds}s`,
    '  evaluation_interval: 1s',
    ...(rules ? ['rule_files:', ...rules.map((file) => `  - ${JSON.stringify(file)}`)] : []),
    ...(targets
      ? [
          'scrape_configs:',
          '  - job_name: scraped',
          '    honor_labels: true', // `job` is the job's own
          '    static_configs:',
          `      - targets: ${JSON.stringify(targets)}`,
        ]
      : []),
    ...(outOfOrder ? ['storage:', '  tsdb:', `    out_of_order_time_window: ${outOfOrder}`] : []),
    ...(more ? [more] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** The result of a question to the API of Prometheus, which VictoriaMetrics has too. */
export async function ask<T>(
  url: string,
  query: Readonly<Record<string, string | number>>,
): Promise<T[]> {
  const words = new URLSearchParams(
    Object.entries(query).map(([key, value]) => [key, String(value)] as [string, string]),
  );
  const response = await fetch(url, { method: 'POST', body: words });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} of ${query.query}: ${text}`);
  return (JSON.parse(text) as { data: { result: T[] } }).data.result;
}
