import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes Grafana's dashboards into assets/grafana. `npx tsx scripts/dashboards.ts`; a test checks that it was done, and another asks a
 * real Prometheus every expression.
 */
export const FOLDER = 'assets/grafana';

interface Query {
  readonly expr: string;
  readonly legend: string;
}

interface Panel {
  readonly title: string;
  readonly kind: 'timeseries' | 'stat' | 'bargauge' | 'table';
  readonly unit: 'bytes' | 'percentunit' | 'short';
  /** Of 24. */
  readonly width: number;
  readonly what?: string;
  readonly queries: readonly Query[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  /** Chosen at the top: a label, and the metric whose values it has. */
  readonly variables: readonly { readonly label: string; readonly of: string }[];
  readonly panels: readonly Panel[];
}

const query = (expr: string, legend: string): Query => ({ expr, legend });

const OF_JOB = '{job=~"$job"}';
const OF_HOST = '{host=~"$host"}';
const ALARMS: Panel = {
  title: 'Alarms',
  kind: 'table',
  unit: 'short',
  width: 24,
  what: 'Rules: assets/prometheus/highwater.rules.yml',
  queries: [query('ALERTS{alertname=~"Highwater.*"}', '{{alertname}} {{job}}')],
};

const DASHBOARDS: readonly Dashboard[] = [
  {
    uid: 'highwater-fleet',
    title: 'Highwater: fleet',
    variables: [],
    panels: [
      {
        title: 'Jobs',
        kind: 'stat',
        unit: 'short',
        width: 6,
        queries: [query('count(count by (job) (highwater_tree_held_bytes))', 'jobs')],
      },
      {
        title: 'Machines',
        kind: 'stat',
        unit: 'short',
        width: 6,
        queries: [query('count(count by (host) (highwater_host_total_bytes))', 'machines')],
      },
      {
        title: 'Asked for and never used',
        kind: 'stat',
        unit: 'bytes',
        width: 6,
        what: 'Of jobs that run: what they asked for, less the most that they held',
        queries: [
          query(
            'sum(max by (job, host) (highwater_memory_requested_bytes or highwater_cgroup_limit_bytes) - max by (job, host) (max_over_time(highwater_tree_held_window_peak_bytes[1d])))',
            'unused',
          ),
        ],
      },
      {
        title: 'Killed for memory, a day',
        kind: 'stat',
        unit: 'short',
        width: 6,
        queries: [query('sum(increase(highwater_cgroup_oom_kills_total[1d]))', 'kills')],
      },
      {
        title: 'Nearest to their limit',
        kind: 'bargauge',
        unit: 'percentunit',
        width: 12,
        queries: [
          query(
            'topk(20, max by (job, host) (highwater_tree_held_window_peak_bytes / highwater_cgroup_limit_bytes))',
            '{{job}} on {{host}}',
          ),
        ],
      },
      {
        title: 'Asked for more than they use',
        kind: 'bargauge',
        unit: 'percentunit',
        width: 12,
        what: 'The share that was never used',
        queries: [
          query(
            'topk(20, 1 - max by (job) (max_over_time(highwater_tree_held_window_peak_bytes[1d])) / max by (job) (highwater_memory_requested_bytes or highwater_cgroup_limit_bytes))',
            '{{job}}',
          ),
        ],
      },
      {
        title: "Peaks of jobs, by the kernel's own count",
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        queries: [query('topk(20, max by (job) (highwater_cgroup_peak_bytes))', '{{job}}')],
      },
      {
        title: 'Fullest machines',
        kind: 'timeseries',
        unit: 'percentunit',
        width: 12,
        queries: [
          query(
            'topk(20, max by (host) (highwater_host_used_window_peak_bytes) / max by (host) (highwater_host_total_bytes))',
            '{{host}}',
          ),
        ],
      },
      {
        title: 'Fullest cards',
        kind: 'timeseries',
        unit: 'percentunit',
        width: 24,
        queries: [
          query(
            'topk(20, max by (host, card) (highwater_gpu_used_window_peak_bytes) / max by (host, card) (highwater_gpu_total_bytes))',
            '{{host}} {{card}}',
          ),
        ],
      },
      ALARMS,
    ],
  },
  {
    uid: 'highwater-job',
    title: 'Highwater: job',
    variables: [{ label: 'job', of: 'highwater_tree_held_bytes' }],
    panels: [
      {
        title: 'Held, peaks of windows',
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        what: 'What the kernel cannot take back, against the limit and what was asked for',
        queries: [
          query(`max by (host) (highwater_tree_held_window_peak_bytes${OF_JOB})`, '{{host}}'),
          query(`min by (host) (highwater_cgroup_limit_bytes${OF_JOB})`, 'limit on {{host}}'),
          query(`max(highwater_memory_requested_bytes${OF_JOB})`, 'asked for'),
        ],
      },
      {
        title: 'Ranks, peaks of windows',
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        queries: [
          query(`max by (rank) (highwater_rank_rss_window_peak_bytes${OF_JOB})`, 'rank {{rank}}'),
        ],
      },
      {
        title: 'Skew: the highest rank over the median',
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        queries: [
          query(
            `max(highwater_rank_rss_window_peak_bytes${OF_JOB}) - quantile(0.5, highwater_rank_rss_window_peak_bytes${OF_JOB})`,
            'host',
          ),
          query(
            `max(highwater_torch_allocated_window_peak_bytes${OF_JOB}) - quantile(0.5, highwater_torch_allocated_window_peak_bytes${OF_JOB})`,
            'cards',
          ),
        ],
      },
      {
        title: "torch's allocator, peaks of windows",
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        queries: [
          query(
            `max by (rank, device) (highwater_torch_allocated_window_peak_bytes${OF_JOB})`,
            'rank {{rank}} on {{device}}, handed out',
          ),
          query(
            `max by (rank, device) (highwater_torch_reserved_window_peak_bytes${OF_JOB})`,
            'rank {{rank}} on {{device}}, taken',
          ),
        ],
      },
      {
        title: 'Of the cards',
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        queries: [
          query(
            `max by (host, card) (highwater_gpu_tree_window_peak_bytes${OF_JOB})`,
            '{{host}} {{card}}',
          ),
        ],
      },
      {
        title: 'Iterations a second',
        kind: 'timeseries',
        unit: 'short',
        width: 12,
        queries: [query(`max by (run) (rate(highwater_iterations_total${OF_JOB}[5m]))`, '{{run}}')],
      },
      {
        title: 'Control group, cache included',
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        queries: [
          query(`max by (host) (highwater_cgroup_current_window_peak_bytes${OF_JOB})`, '{{host}}'),
          query(`max by (host) (highwater_cgroup_peak_bytes${OF_JOB})`, 'peak on {{host}}'),
        ],
      },
      {
        title: 'Killed for memory',
        kind: 'stat',
        unit: 'short',
        width: 12,
        queries: [
          query(`sum(max_over_time(highwater_cgroup_oom_kills_total${OF_JOB}[1d]))`, 'kills'),
        ],
      },
    ],
  },
  {
    uid: 'highwater-node',
    title: 'Highwater: machine',
    variables: [{ label: 'host', of: 'highwater_host_total_bytes' }],
    panels: [
      {
        title: 'Memory of the machine',
        kind: 'timeseries',
        unit: 'bytes',
        width: 24,
        queries: [
          query(
            `max by (host) (highwater_host_used_window_peak_bytes${OF_HOST})`,
            '{{host}} in use',
          ),
          query(`max by (host) (highwater_host_total_bytes${OF_HOST})`, '{{host}} has'),
        ],
      },
      {
        title: 'Jobs on it',
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        queries: [
          query(
            `max by (host, job) (highwater_tree_held_window_peak_bytes${OF_HOST})`,
            '{{job}} on {{host}}',
          ),
        ],
      },
      {
        title: 'Cards',
        kind: 'timeseries',
        unit: 'bytes',
        width: 12,
        queries: [
          query(
            `max by (host, card) (highwater_gpu_used_window_peak_bytes${OF_HOST})`,
            '{{host}} {{card}}',
          ),
          query(
            `max by (host, card, job) (highwater_gpu_tree_window_peak_bytes${OF_HOST})`,
            '{{job}} on {{host}} {{card}}',
          ),
        ],
      },
    ],
  },
];

const SOURCE = { type: 'prometheus', uid: '$datasource' };
const HEIGHT = 8;

function asGrafana({ uid, title, variables, panels }: Dashboard): object {
  let [x, y] = [0, 0];
  const placed = panels.map((panel, at) => {
    if (x + panel.width > 24) [x, y] = [0, y + HEIGHT];
    const gridPos = { x, y, w: panel.width, h: HEIGHT };
    x += panel.width;
    return {
      id: at + 1,
      type: panel.kind,
      title: panel.title,
      ...(panel.what && { description: panel.what }),
      datasource: SOURCE,
      gridPos,
      fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
      targets: panel.queries.map(({ expr, legend }, i) => ({
        refId: String.fromCharCode(65 + i),
        datasource: SOURCE,
        expr,
        legendFormat: legend,
        ...(panel.kind !== 'timeseries' && { instant: true }),
        ...(panel.kind === 'table' && { format: 'table' }),
      })),
    };
  });
  return {
    uid,
    title,
    tags: ['highwater'],
    timezone: 'browser',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus' },
        ...variables.map(({ label, of }) => ({
          name: label,
          type: 'query',
          datasource: SOURCE,
          query: { query: `label_values(${of}, ${label})`, refId: label },
          refresh: 2,
          sort: 1,
          multi: true,
          includeAll: true,
        })),
      ],
    },
    panels: placed,
  };
}

/** File name to text. */
export function dashboardFiles(): ReadonlyMap<string, string> {
  return new Map(
    DASHBOARDS.map((dashboard) => [
      `${dashboard.uid}.json`,
      `${JSON.stringify(asGrafana(dashboard), null, 2)}\n`,
    ]),
  );
}

if (process.argv[1]?.endsWith('dashboards.ts')) {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of dashboardFiles()) writeFileSync(join(FOLDER, name), text);
}
