import { figures } from './figures.ts';
import { type Stats, sumOf } from './stats.ts';

/** Wider only where a name is. */
const WIDTH = 43;
/** `12345 MB`. */
const FIGURE = 8;

/** A line with a figure, or a text as it is. */
type Line = string | { readonly label: string; readonly bytes: number | null };

/** Memory of one iteration, for people. */
export function table(stats: Stats): string {
  const lines = linesOf(stats);
  const width = Math.max(
    WIDTH,
    ...lines.map((line) => (typeof line === 'string' ? 0 : line.label.length + 1 + FIGURE)),
  );
  const stars = '*'.repeat(width);
  const head = `Memory Usage for Iteration ${stats.iteration} of Epoch ${stats.epoch}`;
  const body = lines.map((line) => (typeof line === 'string' ? line : dotted(line, width)));
  return `${[stars, head, stars, ...body].join('\n')}\n`;
}

function linesOf(stats: Stats): Line[] {
  const all = figures(stats);
  const figure = (label: string, name: string): Line => ({ label, bytes: all[name]! });
  const group = (label: string, sums: ReadonlyMap<string, number>, suffix = ''): Line[] => [
    { label, bytes: sumOf(sums) },
    ...[...sums].map(([name, bytes]) => ({
      label: `  ${name || 'in no layer'}${suffix}`,
      bytes,
    })),
  ];
  return [
    figure('Peak cached', 'peak_cached'),
    figure('Current cached', 'current_cached'),
    figure('Total feature map usage', 'total_feature_map_usage'),
    '',
    ...group('Total layer weight usage', stats.weights),
    '',
    ...group('Total layer weight gradient usage', stats.gradients, ' grad'),
    figure('Intermediate gradients', 'intermediate_gradients'),
    '',
    ...group('Total buffer usage', stats.buffers),
    '',
    ...group('Total optimizer state usage', stats.optimizer, ' state'),
    '',
    ...group('Feature maps by layer', stats.featureMaps),
    figure('Model inputs', 'model_inputs'),
    '',
    ...(stats.kept.size > 0 ? [...group('Kept from earlier iterations', stats.kept), ''] : []),
    figure('Peak of this iteration', 'peak'),
    ...(stats.peakLayer ? [`  at ${stats.peakLayer}`] : []),
    figure('Peak allocated', 'peak_allocated'),
    figure('Peak resident, process', 'peak_resident'),
    '(1 MB = 1,000,000 bytes)',
  ];
}

function dotted({ label, bytes }: Exclude<Line, string>, width: number): string {
  const figure = bytes === null ? 'none' : `${megabytes(bytes)} MB`;
  return label.padEnd(width - FIGURE, '.') + figure.padStart(FIGURE, '.');
}

/** Models in JavaScript are often small: whole MB would be all zeros. */
function megabytes(bytes: number): string {
  if (bytes === 0) return '0';
  const mb = bytes / 1e6;
  return mb < 9.9995 ? mb.toFixed(3) : mb.toFixed(0);
}
