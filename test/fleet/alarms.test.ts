import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GiB, MiB } from '../../src/base/bytes.ts';
import { place } from '../support/recorder.ts';
import { PROMETHEUS_PART, PROMETHEUS_VERSIONS, promtool } from './servers/prometheus.ts';
import { whereFleet } from './servers/server.ts';

const RULES = resolve('assets/prometheus/highwater.rules.yml');
const MINUTES = 120;
/** Two samples a minute. */
const STEP = 0.5;

/** A value at a minute, as one would see it; null: there is none (yet). */
type Story = (minute: number) => number | null;
/** What a machine of this name tells: by metric and further labels. */
type Told = Readonly<Record<string, Story>>;

interface Alarm {
  readonly name: string;
  /** Looked at in these minutes; the alarm is on at the last of them for `bad`, and never for others. */
  readonly at: readonly number[];
  readonly bad: Told;
  readonly silent: Readonly<Record<string, Told>>;
}

/** Up and down within two minutes, as between batches. */
const breath = (minute: number, bytes: number) => bytes * Math.abs(Math.sin(minute * 1.7));
const flat =
  (bytes: number): Story =>
  (minute) =>
    bytes + breath(minute, 200 * MiB);
const rising =
  (from: number, aMinute: number): Story =>
  (minute) =>
    from + aMinute * minute + breath(minute, aMinute);
const always =
  (value: number): Story =>
  () =>
    value;
const since =
  (start: number, story: Story): Story =>
  (minute) =>
    minute < start ? null : story(minute - start);

/** What can be full, and how full it may be. */
const runsOut = (name: string, peak: string, limit: string): Alarm => ({
  name,
  at: [15, 30, 45, 60, 75],
  bad: { [peak]: rising(30 * GiB, 0.7 * GiB), [limit]: always(100 * GiB) },
  silent: {
    full: { [peak]: flat(98 * GiB), [limit]: always(100 * GiB) },
    slow: { [peak]: rising(30 * GiB, 0.05 * GiB), [limit]: always(100 * GiB) },
    step: {
      [peak]: (minute) => (minute < 52 ? 20 * GiB : 60 * GiB) + breath(minute, 100 * MiB),
      [limit]: always(100 * GiB),
    },
    starting: { [peak]: since(62, (m) => Math.min(60, 8 * m) * GiB), [limit]: always(100 * GiB) },
    falling: { [peak]: rising(90 * GiB, -0.3 * GiB), [limit]: always(100 * GiB) },
    unlimited: { [peak]: rising(30 * GiB, 0.7 * GiB) },
  },
});

const ranks = (metric: string, bytes: readonly number[]): Told =>
  Object.fromEntries(bytes.map((of, rank) => [`${metric}{rank="${rank}"}`, flat(of)]));

const skew = (name: string, metric: string): Alarm => ({
  name,
  at: [30, 60],
  bad: ranks(metric, [20 * GiB, 20.2 * GiB, 31 * GiB, 19.9 * GiB]),
  silent: {
    even: ranks(metric, [20 * GiB, 20.2 * GiB, 22 * GiB, 19.9 * GiB]),
    pair: ranks(metric, [20 * GiB, 40 * GiB]),
    small: ranks(metric, [0.2 * GiB, 0.2 * GiB, 0.9 * GiB]),
  },
});

const HELD = 'highwater_tree_held_bytes';
const HELD_PEAK = 'highwater_tree_held_window_peak_bytes';
const REQUESTED = 'highwater_memory_requested_bytes';
const KILLS = 'highwater_cgroup_oom_kills_total';

const ALARMS: readonly Alarm[] = [
  runsOut('HighwaterJobWillRunOut', HELD_PEAK, 'highwater_cgroup_limit_bytes'),
  runsOut(
    'HighwaterHostWillRunOut',
    'highwater_host_used_window_peak_bytes',
    'highwater_host_total_bytes',
  ),
  runsOut(
    'HighwaterCardWillRunOut',
    'highwater_gpu_used_window_peak_bytes{card="0"}',
    'highwater_gpu_total_bytes{card="0"}',
  ),
  skew('HighwaterRankSkew', 'highwater_rank_rss_window_peak_bytes'),
  skew('HighwaterRankSkewOnCard', 'highwater_torch_allocated_window_peak_bytes'),
  {
    name: 'HighwaterLeak',
    at: [50, 65, 80, 95, 110],
    bad: { [HELD]: (minute) => 10 * GiB + 20 * MiB * minute + breath(minute, GiB) },
    silent: {
      warm: { [HELD]: (minute) => (5 + 5 * Math.min(1, minute / 40)) * GiB + breath(minute, GiB) },
      flat: { [HELD]: flat(10 * GiB) },
      slow: { [HELD]: rising(10 * GiB, MiB / 2) },
      tide: { [HELD]: (minute) => (10 + 3 * Math.sin(minute / 15)) * GiB },
    },
  },
  {
    name: 'HighwaterAskedForTwice',
    at: [30, 60, 90, 110],
    bad: { [REQUESTED]: always(64 * GiB), [HELD_PEAK]: flat(20 * GiB) },
    silent: {
      used: { [REQUESTED]: always(64 * GiB), [HELD_PEAK]: flat(40 * GiB) },
      once: {
        [REQUESTED]: always(64 * GiB),
        [HELD_PEAK]: (minute) => (minute === 10 ? 50 : 5) * GiB,
      },
      young: { [REQUESTED]: since(70, always(64 * GiB)), [HELD_PEAK]: since(70, flat(2 * GiB)) },
      small: { [REQUESTED]: always(4 * GiB), [HELD_PEAK]: flat(0.5 * GiB) },
    },
  },
  {
    name: 'HighwaterKilled',
    at: [30, 65],
    bad: { [KILLS]: (minute) => (minute < 60 ? 0 : 1) },
    silent: { before: { [KILLS]: always(3) } },
  },
];

/** As promtool wants it; JSON is YAML. */
function promtoolTest({ name, at, bad, silent }: Alarm): string {
  const series = Object.entries({ bad, ...silent }).flatMap(([host, told]) =>
    Object.entries(told).map(([metric, story]) => {
      const [, named, more = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(metric)!;
      const values = Array.from({ length: MINUTES / STEP }, (_, i) => story(i * STEP));
      return {
        series: `${named}{host="${host}",job="job-${host}"${more && `,${more}`}}`,
        values: values.map((value) => (value === null ? '_' : Math.round(value))).join(' '),
      };
    }),
  );
  const expr = `count by (host) (ALERTS{alertname="${name}",alertstate="firing"})`;
  const last = {
    expr,
    eval_time: `${at.at(-1)}m`,
    exp_samples: [{ labels: '{host="bad"}', value: 1 }],
  };
  // Before the last look the bad one may be on already; nobody else ever is.
  const others = at.map((minute) => ({
    expr: `${expr} unless count by (host) ({host="bad"})`,
    eval_time: `${minute}m`,
    exp_samples: [],
  }));
  return JSON.stringify({
    rule_files: [RULES],
    evaluation_interval: '30s',
    tests: [
      {
        interval: '30s',
        input_series: series,
        promql_expr_test: [last, ...others],
      },
    ],
  });
}

it('every alarm of the rules is tried', () => {
  const named = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(
    ([, name]) => name,
  );
  expect(ALARMS.map(({ name }) => name).sort()).toEqual(named.sort());
});

describe.each(PROMETHEUS_VERSIONS)('by the rules of Prometheus %s', (version) => {
  for (const alarm of ALARMS) {
    whereFleet(PROMETHEUS_PART[version])(
      `${alarm.name} fires where it should, and not for ${Object.keys(alarm.silent).join(', ')}`,
      () => {
        const folder = place('alarm');
        mkdirSync(folder);
        const file = join(folder, 'test.yml');
        writeFileSync(file, promtoolTest(alarm));
        const output = execFileSync(promtool(version), ['test', 'rules', file], {
          encoding: 'utf8',
        });
        expect(output).toContain('SUCCESS');
      },
    );
  }
});
