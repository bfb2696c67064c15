import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withMetrics } from '../../scripts/metrics-doc.ts';
import {
  METRICS,
  type Metric,
  otlpName,
  otlpPeakName,
  prometheusName,
  prometheusPeakName,
} from '../../src/metrics/list.ts';

const metrics = Object.values<Metric>(METRICS);

describe('the list of metrics', () => {
  it('has names that Prometheus allows, each once, in base units', () => {
    const names = metrics.flatMap((one) => [
      prometheusName(one),
      ...(one.peak ? [prometheusPeakName(one)] : []),
    ]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^highwater_[a-z]+(_[a-z]+)*$/);
    for (const one of metrics) {
      if (one.unit === 'bytes') expect(prometheusName(one)).toMatch(/_bytes$/);
      expect(prometheusName(one).endsWith('_total')).toBe(one.kind === 'counter');
      if (one.peak) expect(one.kind).toBe('gauge');
    }
    expect(prometheusPeakName(METRICS.treeRss)).toBe('highwater_tree_rss_window_peak_bytes');
  });

  it("has OpenTelemetry's names where it has one, and dotted ones of ours else", () => {
    expect(otlpName(METRICS.gpuUsed)).toBe('hw.gpu.memory.usage');
    for (const one of metrics) {
      const own = one.peak ? otlpPeakName(one) : one.id;
      expect(own).toMatch(/^highwater\.[a-z_]+(\.[a-z_]+)*$/);
    }
  });

  it('is the table of docs/fleet.md', () => {
    const document = readFileSync('docs/fleet.md', 'utf8');
    expect(withMetrics(document)).toBe(document);
  });
});
