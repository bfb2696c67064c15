import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { FOLDER } from '../../scripts/dashboards.ts';
import { rankSamples, write } from '../support/fleet-metrics.ts';
import {
  PROMETHEUS_PART,
  PROMETHEUS_VERSIONS,
  type Prometheus,
  startPrometheus,
} from './servers/prometheus.ts';
import { whereFleet } from './servers/server.ts';

const RULES = resolve('assets/prometheus/highwater.rules.yml');
const JOB = { job: '4711', ranks: 4 };
const MINUTES = 75;

interface Dashboard {
  readonly title: string;
  readonly templating: { list: { name: string; query: string | { query: string } }[] };
  readonly panels: { title: string; targets: { expr: string }[] }[];
}

const dashboards = readdirSync(FOLDER).map(
  (name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Dashboard,
);

/** As Grafana fills it in where all are chosen. */
const filled = (expr: string) => expr.replace(/\$(job|host)\b/g, '.*');

/** An hour and a quarter of four ranks; the kernel kills a process of rank 3 in its last minutes. */
async function fill(server: Prometheus): Promise<void> {
  const now = Date.now();
  for (let minute = MINUTES; minute >= 0; minute--) {
    const timeMs = now - minute * 60_000;
    const samples = Array.from({ length: JOB.ranks }, (_, rank) =>
      rankSamples(JOB, rank, timeMs),
    ).flat();
    const kills = (sample: (typeof samples)[number]) =>
      sample.metric === 'groupKills' && sample.labels.rank === '3' && minute < 3;
    await write(
      server.writeUrl,
      samples.map((one) => (kills(one) ? { ...one, value: 1 } : one)),
    );
  }
}

describe.each(PROMETHEUS_VERSIONS)('with Prometheus %s', (version) => {
  whereFleet(PROMETHEUS_PART[version])(
    'every panel of every dashboard has something to show',
    async () => {
      const server = await startPrometheus(version, { rules: [RULES], outOfOrder: '1d' });
      await fill(server);
      await expect.poll(() => server.query('ALERTS{alertname="HighwaterKilled"}')).toHaveLength(1);
      const empty: string[] = [];
      for (const { title, panels, templating } of dashboards) {
        for (const panel of panels) {
          for (const { expr } of panel.targets) {
            const found = await server.query(filled(expr));
            if (found.length === 0 || found.some(({ value }) => value[1] === 'NaN')) {
              empty.push(`${title}, ${panel.title}: ${expr}`);
            }
          }
        }
        for (const { query } of templating.list) {
          if (typeof query === 'string') continue;
          const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query.query)!;
          expect(await server.query(`count by (${label}) (${metric})`)).not.toEqual([]);
        }
      }
      expect(empty).toEqual([]);
      const ruled = (await (await fetch(`${server.url}/api/v1/rules`)).json()) as {
        data: { groups: { rules: { name: string; health: string }[] }[] };
      };
      const rules = ruled.data.groups.flatMap((group) => group.rules);
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
      expect(rules.length).toBeGreaterThan(7);
    },
  );
});
