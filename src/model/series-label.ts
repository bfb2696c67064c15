/** What a series means, in words for a legend or a table. A name we do not know stands for itself. */
const LABELS: Readonly<Record<string, string>> = {
  'host.used': 'whole machine, in use',
  'host.held': 'whole machine, held on purpose',
  'tree.rss': 'process tree, summed RSS (upper bound)',
  'tree.pss': 'process tree, proportional (PSS)',
  'tree.swap': 'process tree, swapped out',
  'tree.held': 'process tree, anonymous and shared memory',
  'tree.file': 'process tree, pages of mapped files',
  'cgroup.held': 'control group, anonymous and shared memory',
  'cgroup.current': 'control group, page cache included',
  'malloc.in_use': 'handed out by malloc',
  'malloc.free': 'held by malloc, free',
  'pinned.allocated': 'pinned host memory, handed out by torch',
  'pinned.reserved': 'pinned host memory, by torch in all',
  'jax.live': 'arrays of JAX that live',
};

const TORCH: Readonly<Record<string, string>> = {
  allocated: 'handed out to tensors',
  reserved: 'taken from the device',
  requested: 'asked for by tensors',
  active: 'handed out or waiting for a stream',
  unusable: 'free in pieces of blocks in use',
  peak: 'handed out at most, by its own counter',
};

export function seriesLabel(series: string): string {
  const gpu = /^gpu(\d+)\.(used|tree)$/.exec(series);
  if (gpu) return gpu[2] === 'used' ? `GPU ${gpu[1]}, in use` : `GPU ${gpu[1]}, process tree`;
  const torch = /^torch(\d+)\.(\w+)$/.exec(series);
  if (torch && TORCH[torch[2]!]) return `torch on device ${torch[1]}, ${TORCH[torch[2]!]}`;
  const other = /^(jax|tf)(\d+)\.in_use$/.exec(series);
  if (other)
    return `${other[1] === 'jax' ? 'JAX' : 'TensorFlow'} on device ${other[2]}, handed out`;
  const device = /^dmem\.(.+)\/(\w+)$/.exec(series);
  if (device) return `control group, on ${device[1]} (${device[2]})`;
  return LABELS[series] ?? series;
}
