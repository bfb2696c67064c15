import { figures } from './figures.ts';
import { rowsOf } from './rows.ts';
import type { Stats } from './stats.ts';

/** Said by the figures, under other names. */
const FIGURES: ReadonlySet<string> = new Set(['device', 'peak']);

/** One flat object of numbers, as loggers of experiments take them: `memory/weight/conv1/kernel`. */
export function flat(stats: Stats): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, bytes] of Object.entries(figures(stats))) {
    if (bytes !== null) found[`memory/${name}`] = bytes;
  }
  found['memory/tensors'] = stats.tensors;
  found['memory/kept_tensors'] = stats.keptTensors;
  for (const [name, kind, bytes] of rowsOf(stats)) {
    if (bytes !== null && name !== '' && !FIGURES.has(kind))
      found[`memory/${kind}/${name}`] = bytes;
  }
  return found;
}
