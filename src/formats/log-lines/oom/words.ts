import { formatBytes } from '../../../base/bytes.ts';
import type { OomFigures, OomPlace } from '../../../model/out-of-memory.ts';

const TITLES: Readonly<Record<OomPlace, string>> = {
  gpu: 'GPU out of memory',
  host: 'out of memory',
  heap: 'heap limit reached',
  shm: 'shared memory (/dev/shm) full',
};

/** One line that names a mark: `GPU 0 out of memory: asked for 2.00 GiB, 1.20 GiB of 23.7 GiB free`. */
export function oomTitle(oom: OomFigures): string {
  const title =
    oom.gpu !== undefined ? TITLES[oom.place].replace('GPU', `GPU ${oom.gpu}`) : TITLES[oom.place];
  const parts: string[] = [];
  if (oom.asked !== undefined) parts.push(`asked for ${formatBytes(oom.asked)}`);
  if (oom.shape !== undefined) parts.push(`for shape ${oom.shape}`);
  if (oom.free !== undefined && oom.total !== undefined) {
    parts.push(`${formatBytes(oom.free)} of ${formatBytes(oom.total)} free`);
  }
  return `${title} (${oom.source})${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

/** What an out-of-memory message means in plain words, and what usually helps: a few sentences. */
export function explainOom(oom: OomFigures): string[] {
  switch (oom.place) {
    case 'gpu':
      return onGpu(oom);
    case 'shm':
      return [
        'The data loader hands batches over in /dev/shm, and that was full.',
        'Enlarge it (docker run --shm-size=8g, or --ipc=host), or use fewer workers or smaller batches.',
      ];
    case 'heap':
      return oom.source === 'v8'
        ? [
            'The JavaScript heap reached the limit of Node.js; the machine may still have had memory.',
            'Raise it with NODE_OPTIONS=--max-old-space-size=8192 (MiB), or look for what is kept alive.',
          ]
        : ['The Java heap reached its limit; the machine may still have had memory. Raise -Xmx.'];
    case 'host':
      return onHost(oom);
  }
}

function onGpu(oom: OomFigures): string[] {
  const { asked, free, total, process, allocated, reservedUnused, limit } = oom;
  const said: string[] = [];
  if (asked !== undefined && free !== undefined) {
    said.push(
      asked <= free
        ? enoughFree(oom, asked, free)
        : `${formatBytes(asked)} were asked for and ${formatBytes(free)} were free.`,
    );
  } else if (asked !== undefined) said.push(`${formatBytes(asked)} were asked for.`);
  if (allocated !== undefined) said.push(`Tensors held ${formatBytes(allocated)}.`);
  if (total !== undefined && free !== undefined && process !== undefined) {
    const others = total - free - process;
    if (others > 0.05 * total) {
      said.push(
        `Other processes held ${formatBytes(others)} of this GPU: see who with nvidia-smi.`,
      );
    }
  }
  const inPieces = reservedUnused !== undefined && asked !== undefined && reservedUnused >= asked;
  if (inPieces && limit === undefined && !(free !== undefined && free >= asked)) {
    said.push(
      `The allocator kept ${formatBytes(reservedUnused)} that no tensor used, in pieces too small: \`highwater what-if\` tells of a snapshot which setting would have helped.`,
    );
  } else said.push('A smaller batch, gradient checkpointing or lower precision need less.');
  return said;
}

/** Where enough was free, a limit stopped it, or something that the message does not tell. */
function enoughFree({ limit, limitOf }: OomFigures, asked: number, free: number): string {
  const what = `${formatBytes(asked)} did not fit although ${formatBytes(free)} were free`;
  if (limit === undefined && limitOf === undefined)
    return `${what}: more was free than was asked for, so these figures do not explain it.`;
  const much = limit === undefined ? '' : `, ${formatBytes(limit)}`;
  return `${what}: a limit was reached${much}${limitOf ? ` (${limitOf})` : ''}.`;
}

function onHost({ source, asked, process }: OomFigures): string[] {
  if (source === 'kernel' || source === 'dataloader') {
    return [
      process === undefined
        ? 'The process was killed from outside, as the kernel does when memory runs out.'
        : `The kernel killed it for memory when it held ${formatBytes(process)}.`,
      'The memory limit of its container or job, or all of the machine, was used up.',
    ];
  }
  const much = asked === undefined ? 'More memory' : formatBytes(asked);
  return [
    `${much} was asked for and the system refused: memory, swap or a limit (ulimit -v, overcommit) was used up.`,
  ];
}
