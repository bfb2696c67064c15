import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { partFolder } from './folder.ts';
import { ask, type Found, type FoundSeries } from './prometheus.ts';
import { answers, freePorts, type Server, serverFolder, startServer } from './server.ts';

export type VictoriaMetricsVersion = '1.79' | '1.145';
export const VICTORIA_METRICS_VERSIONS = ['1.79', '1.145'] as const;
export const VICTORIA_METRICS_PART = { '1.79': 'debian', '1.145': 'testing' } as const;

export interface VictoriaMetrics extends Server {
  readonly writeUrl: string;
  readonly otlpUrl: string;
  readonly data: string;
  query(expression: string, time?: number): Promise<Found[]>;
  queryRange(expression: string, from: number, to: number, step: number): Promise<FoundSeries[]>;
  /** What came in is found only after this. */
  flush(): Promise<void>;
}

export async function startVictoriaMetrics(
  version: VictoriaMetricsVersion,
  flags: readonly string[] = [],
  where: { readonly port?: number; readonly data?: string } = {},
): Promise<VictoriaMetrics> {
  const folder = serverFolder(`victoria-metrics-${version}`);
  const port = where.port ?? (await freePorts(1))[0];
  const url = `http://127.0.0.1:${port}`;
  const data = where.data ?? join(folder, 'data');
  const root = partFolder(VICTORIA_METRICS_PART[version]);
  const libraries = ['lib', 'usr/lib']
    .map((path) => join(root, path, libraryFolder()))
    .filter((path) => existsSync(path));
  const server = await startServer({
    command: join(root, 'usr/bin/victoria-metrics'),
    args: [
      `-storageDataPath=${data}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-retentionPeriod=100y',
      '-search.latencyOffset=0s',
      ...flags,
    ],
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') },
    url,
    folder,
    ready: () => answers(`${url}/health`),
  });
  return {
    ...server,
    data,
    writeUrl: `${url}/api/v1/write`,
    otlpUrl: `${url}/opentelemetry/v1/metrics`,
    query: (expression, time) =>
      ask(`${url}/api/v1/query`, {
        query: expression,
        nocache: 1,
        ...(time !== undefined && { time }),
      }),
    queryRange: (expression, start, end, step) =>
      ask(`${url}/api/v1/query_range`, { query: expression, nocache: 1, start, end, step }),
    async flush() {
      await answers(`${url}/internal/force_flush`);
    },
  };
}

/** Debian's name for this machine's libraries. */
export const libraryFolder = (): string =>
  process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
