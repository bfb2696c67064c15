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
