import { rowsOf } from './rows.ts';
import { type Stats, sumOf } from './stats.ts';

/** The single figures by the names that the CSV and `stats()` give them, as in Python; null: not measured. */
export function figures(stats: Stats): Record<string, number | null> {
  return {
    // TensorFlow.js has no cache of its own to measure.
    peak_cached: null,
    current_cached: null,
    total_feature_map_usage: sumOf(stats.featureMaps),
    total_weight_usage: sumOf(stats.weights),
    total_layer_weight_gradient_usage: sumOf(stats.gradients),
    intermediate_gradients: stats.intermediateGradients,
    total_buffer_usage: sumOf(stats.buffers),
    total_optimizer_state_usage: sumOf(stats.optimizer),
    model_inputs: stats.inputs,
    current_allocated: stats.live,
    peak_allocated: stats.mostLive,
    peak: stats.peak,
    current_resident: stats.resident,
    peak_resident: stats.mostResident,
    kept: sumOf(stats.kept),
  };
}

/** Said by the figures, under other names. */
const NAMED_OTHERWISE: ReadonlySet<string> = new Set(['device', 'peak']);

/** One flat object of numbers, as loggers of experiments take them: `memory/weight/conv1/kernel`. */
export function flatFigures(stats: Stats): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, bytes] of Object.entries(figures(stats))) {
    if (bytes !== null) found[`memory/${name}`] = bytes;
  }
  found['memory/tensors'] = stats.tensors;
  found['memory/kept_tensors'] = stats.keptTensors;
  for (const [name, kind, bytes] of rowsOf(stats)) {
    if (bytes !== null && name !== '' && !NAMED_OTHERWISE.has(kind))
      found[`memory/${kind}/${name}`] = bytes;
  }
  return found;
}
