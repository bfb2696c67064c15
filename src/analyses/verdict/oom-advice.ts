import { formatBytes } from '../../base/bytes.ts';
import { switchesOf, switchOf } from '../../model/frameworks.ts';
import type { OomCause } from '../out-of-memory.ts';
import type { VerdictBuilder } from './builder.ts';
import { isNearlyFull, type Judged } from './oom-causes.ts';

/** What to do, the likeliest first. */
function advice(oom: Judged): string[] {
  const causes: (OomCause | null)[] = oom.cause
    ? [oom.cause]
    : oom.causes.filter(({ judgement }) => judgement === 'possible').map(({ cause }) => cause);
  const lines = causes.flatMap((cause) => (cause ? FOR_CAUSE[cause](oom) : []));
  if (lines.length > 0) return [...new Set(lines)];
  if (oom.unexplained) {
    return [
      "`dmesg -T | grep -i 'killed process'`, or the scheduler's record of the job, says whether the kernel did it for memory",
    ];
  }
  return oom.place === 'gpu'
    ? [`see who holds the card: nvidia-smi`, ...smaller(oom)]
    : smaller(oom);
}

const FOR_CAUSE: Readonly<Record<OomCause, (oom: Judged) => string[]>> = {
  'too-large': (oom) => smaller(oom),
  fragmentation: (oom) => [
    ...(oom.source === 'torch'
      ? [
          'sizes that vary from step to step (lengths, batches) make pieces: pad them to a few sizes',
          'whether a setting as expandable_segments:True would have been enough, `highwater what-if` tells of the snapshot that `highwater record` keeps when memory runs out',
        ]
      : ['let the program begin with its largest sizes, or pad sizes to a few']),
    ...(isNearlyFull(oom)
      ? smaller(oom).map((line) => `it is nearly full in any case: ${line}`)
      : []),
  ],
  'other-process': () => [
    'see who holds the card (nvidia-smi), end what is left over from an earlier run, or take another card (CUDA_VISIBLE_DEVICES)',
  ],
  limit: (oom) => limitAdvice(oom),
  'host-full': () => [
    'fewer or smaller workers and caches on this machine, or a larger one; who held how much is in the list of tasks that `dmesg` has',
  ],
  'shm-full': () => [
    'enlarge it: docker run --shm-size=8g (or --ipc=host); in Kubernetes an emptyDir with medium: Memory at /dev/shm',
    'or use fewer workers, or smaller batches: a data loader hands them over there',
  ],
};

function limitAdvice({ source, place, limitOf, limit }: Judged): string[] {
  if (source === 'v8')
    return [
      'NODE_OPTIONS=--max-old-space-size=8192 (MiB) raises the limit; a heap that grows for ever needs another answer (highwater heap)',
    ];
  if (source === 'java')
    return ['raise -Xmx (or the limit that the message names), or look for what is kept'];
  if (place === 'gpu') {
    return source === 'torch' && /MPS/.test(limitOf ?? '')
      ? [
          'PYTORCH_MPS_HIGH_WATERMARK_RATIO raises the limit, at the risk of swapping',
          'a smaller batch or lower precision needs less',
        ]
      : ['raise the fraction (torch.cuda.set_per_process_memory_fraction), or take less'];
  }
  const now = limit === undefined ? '' : ` (it was ${formatBytes(limit)})`;
  switch (source) {
    case 'slurm':
      return [
        `ask for more: --mem or --mem-per-cpu${now}; \`sacct -j JOB -o MaxRSS,ReqMem\` says how much was used`,
      ];
    case 'kubernetes':
      return [`raise resources.limits.memory of the container${now}`];
    case 'yarn':
      return [`raise spark.executor.memoryOverhead or the container's memory${now}`];
    default:
      return [`raise the limit of container, job or service${now}, or take less`];
  }
}

function smaller({ source, place, frameworks = [] }: Judged): string[] {
  if (source === 'vllm' || source === 'sglang') {
    return [
      'a shorter --max-model-len, fewer --max-num-seqs, a quantized model, or more cards (--tensor-parallel-size)',
    ];
  }
  if (source === 'llama.cpp' || source === 'ollama') {
    return ['a smaller quantization, fewer layers on the card (-ngl), or a shorter context (-c)'];
  }
  const switches = place === 'gpu' ? switchesOf(frameworks) : [];
  if (switches.length > 0) return [...switches, ...withoutSwitch(frameworks)];
  return place === 'gpu'
    ? [
        'a smaller batch, recomputed activations (checkpointing), lower precision, or an optimizer with less state',
      ]
    : ['load and convert data in parts, use smaller types, or take a machine with more memory'];
}

/** What a training can do all the same where its framework has no switch for it. */
function withoutSwitch(frameworks: readonly string[]): string[] {
  if (switchOf(frameworks, 'inference') !== null) return [];
  return [
    ...(switchOf(frameworks, 'batch') === null ? ['a smaller batch'] : []),
    ...(switchOf(frameworks, 'recompute') === null
      ? ['recomputed activations (torch.utils.checkpoint in the model)']
      : []),
  ];
}

/** What to do, as fixes of a verdict: by how much each would help, no message says. */
export function addAdvice(oom: Judged, words: VerdictBuilder): void {
  for (const what of advice(oom)) words.fix(oom.cause ?? 'look', what, null);
}

/** The one command that would have told more. */
export function addNextTime({ place, source }: Judged, words: VerdictBuilder): void {
  if (source === 'v8') {
    words.next('what grew, and who holds it', 'record', '--heap', '3', '--', '{command}');
    return;
  }
  const why =
    place === 'gpu'
      ? 'at the failure: the line that asked, and which tensors and layers held the card'
      : 'which process, object or mapping held it, and whether it leaks';
  words.next(why, 'record', '--', '{command}');
}
