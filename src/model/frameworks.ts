/**
 * Frameworks that own a training's loop, or a part of it, and their own words for what makes memory smaller. The one
 * place for these facts; docs/frameworks.md shows them with the versions that they were looked up in.
 */
export interface Framework {
  readonly id: string;
  readonly name: string;
  /**
   * Whose frames: the module's path below where packages are installed, and the functions that run when the framework
   * does the work. That a module is loaded means nothing.
   */
  readonly file: RegExp;
  readonly functions: RegExp;
  /** It owns the parameters, and another the loop. */
  readonly shards?: true;
  /** Its switches; absent: it has none of its own, and what holds for torch holds. */
  readonly switches: Readonly<Partial<Record<SwitchKind, string>>>;
}

/** What a switch does. */
export type SwitchKind = 'batch' | 'recompute' | 'precision' | 'optimizer' | 'inference';

/** A frame of a call stack, as a traceback or a snapshot has it. */
interface Called {
  readonly file: string;
  readonly function: string;
}

/** The one that owns the loop comes first: a Trainer runs on Accelerate, which may run DeepSpeed. */
export const FRAMEWORKS: readonly Framework[] = [
  {
    id: 'transformers',
    name: 'Hugging Face Trainer',
    file: /\/transformers\/trainer\.py$/,
    functions: /^(train|_inner_training_loop|_run_epoch|training_step|compute_loss)$/,
    switches: {
      batch:
        'TrainingArguments(per_device_train_batch_size=…) halved and gradient_accumulation_steps=… doubled',
      recompute: 'TrainingArguments(gradient_checkpointing=True)',
      precision: 'TrainingArguments(bf16=True)',
      optimizer: 'TrainingArguments(optim="adafactor"), or "adamw_bnb_8bit" with bitsandbytes',
    },
  },
  {
    id: 'lightning',
    name: 'Lightning',
    file: /\/(lightning\/pytorch|pytorch_lightning)\/(loops|trainer)\/.*\.py$/,
    functions:
      /^(fit|_fit_impl|run|advance|on_run_\w+|_run_stage|_run_optimization|_optimizer_step|_training_step)$/,
    switches: {
      batch: "the DataLoader's batch_size halved and Trainer(accumulate_grad_batches=2)",
      precision: 'Trainer(precision="bf16-mixed")',
    },
  },
  {
    id: 'keras',
    name: 'Keras',
    file: /\/keras\/src\/(trainers|backend\/\w+)\/trainer\.py$/,
    functions:
      /^(fit|train_step|train_function|one_step_on_data|one_step_on_iterator|multi_step_on_iterator)$/,
    switches: {
      batch: 'fit(batch_size=…) halved and gradient_accumulation_steps=2 of the optimizer',
      recompute: 'keras.RematScope around the making of the model',
      precision: 'keras.mixed_precision.set_global_policy("mixed_bfloat16")',
    },
  },
  {
    id: 'diffusers',
    name: 'diffusers',
    file: /\/diffusers\/pipelines\/.*\.py$/,
    functions: /^(__call__|decode_latents|encode_prompt|prepare_latents)$/,
    switches: {
      inference:
        'pipe.enable_model_cpu_offload(), pipe.vae.enable_tiling(), pipe.enable_attention_slicing(), fewer num_images_per_prompt',
    },
  },
  {
    id: 'accelerate',
    name: 'Accelerate',
    file: /\/accelerate\/(accelerator|optimizer|utils\/operations)\.py$/,
    functions: /^(backward|step|forward|__call__|decorate_autocast|clip_grad_norm_)$/,
    switches: {
      batch:
        "the DataLoader's batch_size halved and Accelerator(gradient_accumulation_steps=2) with accelerator.accumulate(model)",
      precision: 'Accelerator(mixed_precision="bf16")',
    },
  },
  {
    id: 'deepspeed',
    name: 'DeepSpeed',
    file: /\/deepspeed\/runtime\/(engine|zero\/\w+)\.py$/,
    functions: /^(forward|backward|step|_take_model_step|_backward_prologue|all_gather\w*)$/,
    switches: {
      batch:
        'train_micro_batch_size_per_gpu halved and gradient_accumulation_steps doubled in its configuration',
      precision: 'bf16.enabled in its configuration',
      optimizer:
        'zero_optimization.stage 2 or 3, and zero_optimization.offload_optimizer.device "cpu", in its configuration',
    },
  },
  {
    id: 'fsdp',
    name: 'FSDP',
    shards: true,
    file: /\/torch\/distributed\/fsdp\/.*\.py$/,
    functions:
      /^(forward|_pre_forward\w*|_root_pre_forward|_unshard|unshard|_pre_backward\w*|_post_backward\w*)$/,
    switches: {
      optimizer:
        'cpu_offload=CPUOffload(offload_params=True), or offload_policy=CPUOffloadPolicy() of fully_shard',
      precision:
        'mixed_precision=MixedPrecision(…), or mp_policy=MixedPrecisionPolicy(…) of fully_shard',
    },
  },
];

/** The frameworks whose functions are in a call stack, by id, the owner of the loop first. */
export function frameworksIn(frames: readonly Called[]): string[] {
  return FRAMEWORKS.filter(({ file, functions }) =>
    frames.some((frame) => file.test(slashed(frame.file)) && functions.test(frame.function)),
  ).map(({ id }) => id);
}

const slashed = (file: string) => file.replaceAll('\\', '/');

/** `steps are taken by Hugging Face Trainer, Accelerate; parameters are sharded by FSDP`; empty where there is none. */
export function whatFrameworksDo(ids: readonly string[]): string {
  const known = FRAMEWORKS.filter(({ id }) => ids.includes(id));
  const names = (found: readonly Framework[]) => found.map(({ name }) => name).join(', ');
  const loop = names(known.filter(({ shards }) => !shards));
  const sharding = names(known.filter(({ shards }) => shards));
  return [
    ...(loop ? [`steps are taken by ${loop}`] : []),
    ...(sharding ? [`parameters are sharded by ${sharding}`] : []),
  ].join('; ');
}

/** `in Lightning: Trainer(…)`, of the first of these frameworks that has one; null where none has. */
export function switchOf(ids: readonly string[], kind: SwitchKind): string | null {
  const found = FRAMEWORKS.find(({ id, switches }) => ids.includes(id) && switches[kind]);
  return found ? `in ${found.name}: ${found.switches[kind]}` : null;
}

/** Every switch, each of the first framework that has one, in the order in which they are worth a try. */
export function switchesOf(ids: readonly string[]): string[] {
  const kinds: readonly SwitchKind[] = [
    'batch',
    'recompute',
    'precision',
    'optimizer',
    'inference',
  ];
  return kinds.flatMap((kind) => switchOf(ids, kind) ?? []);
}
