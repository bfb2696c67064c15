import type { ServingSample } from '../../../model/engine-plan.ts';

type Figure = 'kvUsed' | 'running' | 'waiting' | 'preemptions';

/** What an engine calls them; those before in a list are newer names of the same thing. */
const NAMES: Readonly<Record<Figure, readonly string[]>> = {
  kvUsed: [
    'vllm:kv_cache_usage_perc',
    // Until 0.9; shares too, from 0 to 1.
    'vllm:gpu_cache_usage_perc',
    // Until May 2025.
    'llamacpp:kv_cache_usage_ratio',
  ],
  running: ['vllm:num_requests_running', 'llamacpp:requests_processing'],
  waiting: ['vllm:num_requests_waiting', 'llamacpp:requests_deferred'],
  preemptions: ['vllm:num_preemptions_total', 'vllm:num_preemptions'],
};

/** `name{labels} value`: labels may have anything in quotes. */
const LINE =
  /^([A-Za-z_:][\w:]{0,200})(?:\{(?:[^"}]|"(?:[^"\\]|\\.){0,1000}"){0,100}\})?[ \t]+(\S{1,40})/;

/**
 * What `/metrics` says of how busy an engine is, in Prometheus' text format. Of several engines behind one port requests are added
 * up, and the fullest pool counts. null: none of the names that are known are there.
 */
export function metricsSample(
  text: string,
): Omit<ServingSample, 'engine' | 'worker' | 'from'> | null {
  const values = new Map<string, number[]>();
  for (const line of text.split('\n')) {
    if (!line.startsWith('vllm:') && !line.startsWith('llamacpp:')) continue;
    const found = LINE.exec(line);
    const value = Number(found?.[2] ?? Number.NaN);
    if (!found || !Number.isFinite(value) || value < 0) continue;
    const known = values.get(found[1]!) ?? [];
    values.set(found[1]!, [...known, value]);
  }
  const told = (figure: Figure): readonly number[] =>
    NAMES[figure].map((name) => values.get(name)).find((one) => one !== undefined) ?? [];
  const sum = (figure: Figure) =>
    told(figure).length === 0 ? Number.NaN : told(figure).reduce((a, b) => a + b, 0);
  const used = told('kvUsed').filter((share) => share <= 1);
  const sample = {
    kvUsed: used.length === 0 ? Number.NaN : Math.max(...used),
    running: sum('running'),
    waiting: sum('waiting'),
    preemptions: sum('preemptions'),
  };
  return Object.values(sample).every(Number.isNaN) ? null : sample;
}
