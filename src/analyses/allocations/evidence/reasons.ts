export const CATEGORIES = [
  'parameter',
  'gradient',
  'optimizer_state',
  'activation',
  'input',
  'temporary',
  'workspace',
  'unknown',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** Why an allocation is what it is taken for, and how sure that is (1: proven). */
export interface Reason {
  readonly category: Category;
  readonly confidence: number;
  readonly text: string;
  /** It rests on a tag or a stack alone, so that wrong phases do not touch it. */
  readonly byItself?: true;
  /** A kind within the category that is shown apart. */
  readonly part?: 'intermediate gradients' | 'optimizer scratch' | 'forward scratch';
}

const reason = (
  category: Category,
  confidence: number,
  text: string,
  part?: Reason['part'],
): Reason => (part ? { category, confidence, text, part } : { category, confidence, text });

/** The agent looked at the program's own objects. */
const owned = (category: Category, text: string): Reason => ({
  ...reason(category, 0.98, text),
  byItself: true,
});

export const REASONS = {
  tagged: (category: Category): Reason => ({
    ...reason(category, 0.9, 'its tag says so'),
    byItself: true,
  }),

  unknownTag: { ...reason('unknown', 0, 'its tag does not say what it is'), byItself: true },

  ownedParameter: owned('parameter', "a parameter or buffer among the program's objects"),
  ownedGradient: owned('gradient', "the gradient of a parameter among the program's objects"),
  ownedState: owned('optimizer_state', "in the state of an optimizer among the program's objects"),
  ownedActivation: owned('activation', "a result with its graph, among the program's objects"),
  ownedByNobody: {
    ...reason(
      'activation',
      0.6,
      'held by no object of the program: most likely for the backward pass',
    ),
    byItself: true,
  },
  ownedOther: {
    ...reason('input', 0.5, 'a tensor that the program holds and no operation of its model made'),
    byItself: true,
  },

  built: reason('parameter', 0.97, 'made while the model was built, moved or loaded, and kept'),
  sized: reason(
    'parameter',
    0.9,
    'kept from before the first step, in the size of a gradient or state',
  ),
  parameterBefore: reason(
    'parameter',
    0.85,
    'there before the trace, never freed, one for each gradient of its size',
  ),
  parameterCopies: reason(
    'parameter',
    0.6,
    'there before the trace in several copies of each size: one is the parameters',
  ),
  parameterAssumed: reason(
    'parameter',
    0.45,
    'there before the trace and kept through every pass in it',
  ),

  gradient: reason(
    'gradient',
    0.97,
    "made in the backward pass, outlived it, and has a parameter's size",
  ),
  gradientKept: reason('gradient', 0.85, 'made in the backward pass and outlived it'),
  gradientCut: reason(
    'gradient',
    0.7,
    "made in the backward pass in which the trace ends, in a parameter's size",
  ),
  gradientCopy: reason(
    'gradient',
    0.8,
    "made between backward pass and optimizer step, in a parameter's size",
  ),
  gradientBucket: reason('gradient', 0.85, 'a bucket of distributed training'),
  gradientBefore: reason(
    'gradient',
    0.75,
    "there before the trace, freed where gradients are dropped, in a parameter's size",
  ),
  gradientCopies: reason(
    'gradient',
    0.5,
    'there before the trace in several copies of each size: one is gradients kept in place',
  ),

  state: reason('optimizer_state', 0.98, "made where the optimizer's state is made, and kept"),
  stateKept: reason('optimizer_state', 0.95, 'made inside an optimizer step and kept after it'),
  stateCut: reason(
    'optimizer_state',
    0.7,
    "made inside the optimizer step in which the trace ends, in a parameter's size",
  ),
  stateEarly: reason(
    'optimizer_state',
    0.5,
    'made before the first step and kept, beyond one for each gradient of its size',
  ),
  stateReplaced: reason(
    'optimizer_state',
    0.85,
    'there before the trace and freed inside an optimizer step',
  ),
  stateBefore: reason(
    'optimizer_state',
    0.85,
    'there before the trace, beyond one copy for each parameter of its size',
  ),
  stateCopies: reason(
    'optimizer_state',
    0.55,
    'there before the trace in several copies of each size: the optimizer keeps so many',
  ),

  saved: reason('activation', 0.95, 'made in the forward pass and kept for the backward pass'),
  savedCut: reason('activation', 0.7, 'made in the forward pass in which the trace ends'),
  recomputed: reason(
    'activation',
    0.9,
    'forward code that the backward pass ran again (checkpointing)',
  ),
  inference: reason('activation', 0.8, 'made in a forward pass that no backward pass follows'),
  keptOn: reason(
    'activation',
    0.5,
    'made in a forward pass and kept over several steps: a cache, or a leak',
  ),
  keptResult: reason('activation', 0.75, 'the result of a forward pass, kept after it'),
  freedInBackward: reason('activation', 0.75, 'made by user code and freed by the backward pass'),
  activationBefore: reason(
    'activation',
    0.7,
    'there before the trace and freed by its first backward pass',
  ),

  input: reason('input', 0.85, 'made by user code before the forward pass'),
  inputKept: reason(
    'input',
    0.55,
    'made by user code before the first step and kept: no parameter has its size',
  ),
  keptEarly: reason('parameter', 0.45, 'made in or before the first step and kept for good'),
  inputFirst: reason('input', 0.55, 'the first made in a step, kept until after it'),

  intermediate: reason(
    'temporary',
    0.95,
    'made and freed within the backward pass',
    'intermediate gradients',
  ),
  intermediateCut: reason(
    'temporary',
    0.65,
    "made in the backward pass in which the trace ends, no parameter's size",
    'intermediate gradients',
  ),
  stepScratch: reason(
    'temporary',
    0.97,
    'made and freed within one optimizer step',
    'optimizer scratch',
  ),
  forwardScratch: reason(
    'temporary',
    0.8,
    'made and freed within the forward pass',
    'forward scratch',
  ),
  passing: reason('temporary', 0.6, 'made between the passes and freed soon after'),
  building: reason(
    'temporary',
    0.8,
    'made while the model was built, and freed before the first step',
  ),

  workspaceStack: reason(
    'workspace',
    0.98,
    'its call stack is in code that gets scratch memory for cuBLAS or cuDNN',
  ),
  workspaceSize: reason(
    'workspace',
    0.85,
    'kept for good since its first pass, in a size cuBLAS asks for',
  ),
  workspaceKept: reason(
    'workspace',
    0.6,
    "kept for good since its first backward pass, no parameter's size",
  ),
  workspaceOfStream: reason(
    'workspace',
    0.9,
    "one for each stream, kept for good, and no object's of the program: a library's",
  ),
  workspaceBefore: reason('workspace', 0.7, 'there before the trace, in a size cuBLAS asks for'),

  unknownBefore: reason('unknown', 0, 'there before the trace; nothing in it tells what it is'),
  unknownUser: reason('unknown', 0, 'made by user code; the trace shows no model at work'),
} as const;
