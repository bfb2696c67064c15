/**
 * The metrics that leave Highwater: names, units, labels, meaning. The table in docs/fleet.md is made of these words, and dashboards
 * and rules name nothing else. Prometheus' names follow its conventions (base units, `_bytes`, `_total`); OTLP's are OpenTelemetry's
 * own where it has one, else dotted the same way, so that a server's translation of ours gives the names of the other column.
 */

/** Labels that all series have, as far as they are known. */
export const COMMON_LABELS = {
  job: 'the job as its launcher names it (torchrun, Open MPI, a step of Slurm), else `HIGHWATER_JOB`, the job of Slurm around it, or the name of the run',
  host: "the machine's name",
  run: 'the id of the recording',
  rank: 'the rank, where a recorder was started for each; else only of metrics that are of a rank',
} as const;

/** What some have beside them. */
export const OWN_LABELS = {
  card: "the driver's index of the card, as DCGM's `gpu`",
  uuid: "the card's uuid, as DCGM's `UUID`",
  device: "torch's number of the device",
  manager:
    'of `highwater node`, whose series have no `run`: slurm, kubernetes, docker, systemd, or what `--match` calls it',
  user: "of `highwater node`: the number of the job's user",
} as const;

export type OwnLabel = keyof typeof OWN_LABELS | 'rank';

/** How many series there are of it. */
export type Cardinality =
  | 'a run'
  | 'a run and card'
  | 'a run and rank'
  | 'a run, rank and device of torch';

export interface Metric {
  /** Dotted, without the unit: `highwater.tree.rss`. */
  readonly id: string;
  readonly kind: 'gauge' | 'counter';
  readonly unit: 'bytes' | 'seconds' | 'count';
  /** OpenTelemetry's name, where it has one; else it is the id. */
  readonly otlp?: string;
  /** Attributes that OpenTelemetry's name needs. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Its largest sample of each window is a metric too. */
  readonly peak?: true;
  readonly labels?: readonly OwnLabel[];
  readonly cardinality: Cardinality;
  readonly what: string;
}

const gauge = (id: string, what: string, more: Partial<Metric> = {}): Metric => ({
  id: `highwater.${id}`,
  kind: 'gauge',
  unit: 'bytes',
  cardinality: 'a run',
  what,
  ...more,
});
const counter = (id: string, what: string, more: Partial<Metric> = {}): Metric => ({
  ...gauge(id, what, { unit: 'count', ...more }),
  kind: 'counter',
});

const PEAK = { peak: true } as const;
const CARD = { labels: ['card', 'uuid'], cardinality: 'a run and card' } as const;
const RANK = { labels: ['rank'], cardinality: 'a run and rank' } as const;
const DEVICE = {
  labels: ['rank', 'device'],
  cardinality: 'a run, rank and device of torch',
} as const;

export const METRICS = {
  hostUsed: gauge('host.used', "the whole machine's memory in use: MemTotal − MemAvailable", {
    ...PEAK,
    otlp: 'system.memory.usage',
    attributes: { 'system.memory.state': 'used' },
  }),
  hostTotal: gauge('host.total', 'what the machine has: MemTotal', { otlp: 'system.memory.limit' }),
  treeRss: gauge('tree.rss', 'resident sizes of the processes, summed: an upper bound', PEAK),
  treePss: gauge('tree.pss', 'proportional sizes of the processes, summed', PEAK),
  treeHeld: gauge(
    'tree.held',
    'what the kernel cannot take back: anonymous, swapped out, shared memory',
    PEAK,
  ),
  treeSwap: gauge('tree.swap', 'of the processes, swapped out', PEAK),
  treeProcesses: gauge('tree.processes', 'processes of the workload', {
    ...PEAK,
    unit: 'count',
  }),
  rankRss: gauge(
    'rank.rss',
    'resident sizes of the processes of a rank (its workers too), summed',
    {
      ...PEAK,
      ...RANK,
    },
  ),
  rankPss: gauge('rank.pss', 'proportional sizes of the processes of a rank, summed', {
    ...PEAK,
    ...RANK,
  }),
  agent: gauge(
    'agent',
    'what our own agent says that it holds in them: part of the sizes above, and off those of reports',
  ),
  recorder: gauge(
    'recorder',
    "the recorder's own anonymous memory: in none of the workload's sizes, but part of the host's",
  ),
  groupCurrent: gauge('cgroup.current', "charged to the workload's control group, cache included", {
    ...PEAK,
  }),
  groupPeak: gauge('cgroup.peak', "the kernel's own exact peak of it, since the group was made"),
  groupLimit: gauge('cgroup.limit', 'the lowest limit above it; absent where there is none'),
  groupKills: counter('cgroup.oom_kills', 'processes that the kernel killed for memory in it'),
  requested: gauge('memory.requested', 'what the job asked for on this machine (Slurm)'),
  gpuUsed: gauge('gpu.used', 'memory of a card in use, as nvidia-smi shows it', {
    ...PEAK,
    ...CARD,
    otlp: 'hw.gpu.memory.usage',
  }),
  gpuTotal: gauge('gpu.total', 'what the card has', { ...CARD, otlp: 'hw.gpu.memory.limit' }),
  gpuTree: gauge('gpu.tree', "the workload's part of it, where the driver tells", {
    ...PEAK,
    ...CARD,
  }),
  torchAllocated: gauge('torch.allocated', "what torch's allocator has handed out", {
    ...PEAK,
    ...DEVICE,
  }),
  torchReserved: gauge('torch.reserved', "what torch's allocator has taken from the device", {
    ...PEAK,
    ...DEVICE,
  }),
  torchPeak: gauge(
    'torch.peak',
    'the most that it had handed out, by its own exact count, since the program last reset it',
    DEVICE,
  ),
  iterations: counter('iterations', 'iterations that were seen, in output or by an agent'),
  samples: counter('samples', 'samples taken'),
  samplesMissed: counter('samples.missed', 'samples that came too late to be taken'),
  pushDropped: counter('push.dropped_samples', 'values that no server took and nobody will send'),
  started: gauge('run.start_time', 'when the recording began, Unix time', { unit: 'seconds' }),
  info: gauge(
    'run.info',
    'always 1; labels `name` (of the run), `launcher`, `world_size`, `version`',
    {
      unit: 'count',
    },
  ),
} as const satisfies Record<string, Metric>;

export type MetricKey = keyof typeof METRICS;

const SUFFIX = { bytes: '_bytes', seconds: '_seconds', count: '' } as const;

/** `highwater_tree_rss_bytes`, `highwater_iterations_total`. */
export function prometheusName({ id, unit, kind }: Metric): string {
  return `${underscored(id)}${SUFFIX[unit]}${kind === 'counter' ? '_total' : ''}`;
}

/** `highwater_tree_rss_window_peak_bytes`. */
export function prometheusPeakName({ id, unit }: Metric): string {
  return `${underscored(id)}_window_peak${SUFFIX[unit]}`;
}

const underscored = (id: string) => id.replaceAll('.', '_');

/** `hw.gpu.memory.usage`, `highwater.tree.rss`: Prometheus makes `highwater_tree_rss_bytes` of that. */
export function otlpName({ id, otlp }: Metric): string {
  return otlp ?? id;
}

/** Peaks of windows are ours alone, so they have our name. */
export function otlpPeakName({ id }: Metric): string {
  return `${id}.window_peak`;
}

/** Rows for docs/fleet.md. */
export function metricsTable(): string {
  const rows = Object.values<Metric>(METRICS).map((metric) => {
    const { unit, kind, labels = [], cardinality, what } = metric;
    const names = [prometheusName(metric), ...(metric.peak ? [prometheusPeakName(metric)] : [])];
    const dotted = [otlpName(metric), ...(metric.peak ? [otlpPeakName(metric)] : [])];
    const cells = [
      names.map((name) => `\`${name}\``).join('<br>'),
      dotted.map((name) => `\`${name}\``).join('<br>'),
      unit === 'count' ? kind : `${kind}, ${unit}`,
      labels.map((label) => `\`${label}\``).join(', '),
      `${names.length} ${cardinality}`,
      what,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '| Prometheus | OTLP | kind, unit | labels of its own | series: so many … | what it is |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
