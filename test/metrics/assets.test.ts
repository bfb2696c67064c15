import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dashboardFiles, FOLDER } from '../../scripts/dashboards.ts';
import {
  METRICS,
  type Metric,
  prometheusName,
  prometheusPeakName,
} from '../../src/metrics/list.ts';

const KNOWN = new Set(
  Object.values<Metric>(METRICS).flatMap((metric) => [
    prometheusName(metric),
    ...(metric.peak ? [prometheusPeakName(metric)] : []),
  ]),
);
const RULES = 'assets/prometheus/highwater.rules.yml';

it('the dashboards are those of scripts/dashboards.ts', () => {
  const written = readdirSync(FOLDER).map((name) => [
    name,
    readFileSync(join(FOLDER, name), 'utf8'),
  ]);
  expect(new Map(written as [string, string][])).toEqual(dashboardFiles());
});

it.each([RULES, ...readdirSync(FOLDER).map((name) => join(FOLDER, name))])(
  '%s names only metrics that there are',
  (file) => {
    const named = readFileSync(file, 'utf8').match(/\bhighwater_\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !KNOWN.has(name))).toEqual([]);
  },
);
