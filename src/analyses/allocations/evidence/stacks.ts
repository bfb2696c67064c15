import { EMPTY_STACK, NO_ID } from '../../../model/allocations/actions.ts';
import { isPython } from '../../../model/allocations/frame-owner.ts';
import type { Lifetimes } from '../../../model/allocations/lifetimes.ts';
import { type Frame, frameOf, stackTree } from '../../../model/allocations/names.ts';
import type { Recording } from '../../../model/recording.ts';

/** What a call stack says about the work that allocated: the innermost frame that says anything decides. */
export const ROLE = {
  /** No stack was recorded. */
  none: 0,
  /** Frames, but only of the user's own program. */
  user: 1,
  /** A model is built, moved or loaded. */
  setup: 2,
  forward: 3,
  backward: 4,
  /** Forward code run again inside the backward pass (activation checkpointing). */
  recompute: 5,
  optimizer: 6,
  /** The optimizer's state is made or loaded. */
  optimizerState: 7,
  /** Scratch memory of cuBLAS, cuDNN and the like. */
  workspace: 8,
  /** Buckets in which distributed training keeps gradients. */
  bucket: 9,
} as const;
export type Role = (typeof ROLE)[keyof typeof ROLE];

const MODULE = /torch\/nn\/modules\/module\.py$/;
const OPTIMIZER_FILE =
  /(^|\/)torch\/optim\/(?!lr_scheduler|swa_utils)|optimi[sz](er|ers|ation)|\/optim\/|bitsandbytes|deepspeed\/ops\//i;
const WORKSPACE =
  /getCUDABlasLtWorkspace|setWorkspaceForHandle|getCurrentCUDABlasHandle|getNewWorkspace|cublas\w*Workspace|cudnn\w*Workspace|getCurrentCUDASolverDnHandle/;
const BACKWARD_THREAD =
  /autograd::Engine::|autograd::Node::operator\(\)|PythonEngine::(thread_init|execute)/;

/** A call of a module; all else in nn.Module's own file builds, moves or loads one. */
const MODULE_CALL: ReadonlySet<string> = new Set([
  ...['_call_impl', '_wrapped_call_impl', '__call__', 'inner', '_slow_forward'],
]);
const LOADING: ReadonlySet<string> = new Set(['from_pretrained', 'load_state_dict', 'load_model']);

/** The role one frame alone gives its callees, or null. */
function roleOf({ function: name, file }: Frame): Role | null {
  if (!isPython(file)) {
    if (WORKSPACE.test(name)) return ROLE.workspace;
    if (BACKWARD_THREAD.test(name)) return ROLE.backward;
    return name.includes('c10d::Reducer') ? ROLE.bucket : null;
  }
  if (MODULE.test(file)) return MODULE_CALL.has(name) ? ROLE.forward : ROLE.setup;
  if (file.endsWith('torch/utils/checkpoint.py')) {
    return /unpack|recompute|^backward$/.test(name) ? ROLE.recompute : null;
  }
  if (OPTIMIZER_FILE.test(file)) return optimizerRole(name, file);
  if (/torch\/(_tensor|autograd\/(__init__|graph))\.py$/.test(file)) {
    return /backward|^grad$|_make_grads/.test(name) ? ROLE.backward : null;
  }
  if (/torch\/nn\/(parameter|init)\.py$|(^|\/)safetensors\/|torch\/serialization\.py$/.test(file)) {
    return ROLE.setup;
  }
  if (/torch\/nn\/modules\//.test(file) && /^__init__$|^reset_parameters$/.test(name)) {
    return ROLE.setup;
  }
  if (/torch\/nn\/parallel\/distributed\.py$/.test(file) && /ddp_init|build_.*bucket/.test(name)) {
    return ROLE.bucket;
  }
  if (/torch\/nn\/functional\.py$|torch\/_dynamo\/eval_frame\.py$/.test(file)) return ROLE.forward;
  if (LOADING.has(name)) return ROLE.setup;
  return name === 'forward' ? ROLE.forward : null;
}

function optimizerRole(name: string, file: string): Role | null {
  if (/^_?init_(group|state)|load_state_dict|_process_value_according|^share_memory$/.test(name)) {
    return ROLE.optimizerState;
  }
  if (/(^|\/)torch\/optim\//.test(file)) {
    // Some make their state at once (Adagrad).
    if (name === '__init__') return ROLE.optimizerState;
    return /zero_grad|add_param_group/.test(name) ? null : ROLE.optimizer;
  }
  return /^_?(optimizer_)?step$|^update$/.test(name) ? ROLE.optimizer : null;
}

/** Autograd's own threads: what they call in Python has no program above it. */
const isBackwardRoot = ({ file, function: name }: Frame) =>
  /torch\/autograd\/function\.py$|torch\/utils\/checkpoint\.py$/.test(file) ||
  /torch\/_functorch\//.test(file) ||
  (name === 'unpack_hook' && isPython(file));

/** What all stacks of a recording say, each frame and node looked at once. */
export interface StackEvidence {
  role(stack: number): Role;
  /** The innermost Python frame (a row of `frames`); -1 without any. */
  pythonFrame(stack: number): number;
}

/** The role of each of the trace's own allocations; a stack without frames counts only beside others that have some. */
export type RowRole = (row: number) => Role;

export function rowRoles(recording: Recording, life: Lifetimes): RowRole {
  const evidence = stackEvidence(recording);
  const { stack, allocs } = life;
  let framed = false;
  for (let row = 0; row < allocs && !framed; row++) framed = stack[row]! < EMPTY_STACK;
  return (row) => {
    const id = stack[row]!;
    // Blocks from before the trace carry an empty stack when nobody recorded one.
    if (id === EMPTY_STACK && (!framed || row >= allocs)) return ROLE.none;
    return evidence.role(id);
  };
}

const known = new WeakMap<Recording, StackEvidence>();

export function stackEvidence(recording: Recording): StackEvidence {
  let found = known.get(recording);
  if (!found) {
    found = read(recording);
    known.set(recording, found);
  }
  return found;
}

function read(recording: Recording): StackEvidence {
  const { parent, frame } = stackTree(recording);
  const byFrame = new Map<number, { own: Role | null; root: boolean; python: boolean }>();
  const factsOf = (row: number) => {
    let facts = byFrame.get(row);
    if (!facts) {
      const found = frameOf(recording, row);
      facts = {
        own: roleOf(found),
        root: isBackwardRoot(found),
        python: isPython(found.file),
      };
      byFrame.set(row, facts);
    }
    return facts;
  };
  const roles = new Uint8Array(parent.length);
  const inside = new Uint8Array(parent.length);
  const python = new Int32Array(parent.length);
  // A node's parent comes before it, so that one pass is enough.
  for (let node = 0; node < parent.length; node++) {
    const { own, root, python: isOne } = factsOf(frame[node]!);
    const isRoot = parent[node]! >= node;
    python[node] = isOne ? frame[node]! : isRoot ? -1 : python[parent[node]!]!;
    const above = isRoot ? ROLE.user : (roles[parent[node]!] as Role);
    inside[node] =
      own === ROLE.backward || own === ROLE.recompute || (isRoot && root)
        ? 1
        : isRoot
          ? 0
          : inside[parent[node]!]!;
    let role: Role = own ?? (isRoot && root ? ROLE.backward : above);
    if (role === ROLE.forward && inside[node]) role = ROLE.recompute;
    roles[node] = role;
  }
  return {
    role(stack) {
      if (stack === NO_ID) return ROLE.none;
      if (stack === EMPTY_STACK) return ROLE.backward;
      return (roles[stack] ?? ROLE.none) as Role;
    },
    pythonFrame: (stack) => python[stack] ?? -1,
  };
}
