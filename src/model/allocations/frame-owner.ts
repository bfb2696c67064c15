import type { Frame } from './names.ts';

/** Whose code a frame is: the program's own, an installed package's (a model may be one), the framework's, or not Python's. */
export type FrameOwner = 'program' | 'package' | 'framework' | 'native';

/** What runs models, and what Python brings along: nobody's model is in there. */
const FRAMEWORKS: ReadonlySet<string> = new Set([
  ...['torch', 'functorch', 'torchgen', 'triton', 'jax', 'jaxlib', 'tensorflow', 'numpy', 'Python'],
]);

/** The package that a file was installed with, by its path; null: no package, so the program's own. */
export function packageOf(file: string): string | null {
  const parts = file.split('/').filter(Boolean);
  const installed = parts.findLastIndex((part) => /^(site|dist)-packages$/.test(part));
  if (installed >= 0) return parts[installed + 1]?.replace(/\.py$/, '') ?? null;
  if (file.startsWith('<frozen') || /\/lib\/python3(\.\d+)?\//.test(file)) return 'Python';
  if (/\/torchinductor_[^/]*\//.test(file)) return 'torch.compile';
  // A torch that was built here, or paths that were cut short.
  const torch =
    /(^|\/)torch\/((nn|optim|autograd|utils|cuda|distributed|fx|amp|_\w+)\/|(_\w+|functional|serialization)\.py$)/;
  return torch.test(file) ? 'torch' : null;
}

export const isPython = (file: string) => /\.py[cx]?$/.test(file) || file.startsWith('<');

export function ownerOf({ file }: Frame): FrameOwner {
  if (!isPython(file)) return 'native';
  const name = packageOf(file);
  if (name === null) return 'program';
  return FRAMEWORKS.has(name) ? 'framework' : 'package';
}

/** The recorder of stacks at work: it is in every stack, and says nothing of any. */
export const isUnwinder = ({ file, function: name }: Frame) =>
  !isPython(file) && /^torch::unwind::|^torch::CapturedTraceback::|gather_with_cpp\(/.test(name);

/** What calls a module's `forward`. */
const CALLS: ReadonlySet<string> = new Set([
  ...['_call_impl', '_wrapped_call_impl', '__call__', 'inner', '_slow_forward'],
]);

/** nn.Module's own call, on the way to a `forward`. */
export const isModuleCall = ({ file, function: name }: Frame) =>
  /(^|\/)torch\/nn\/modules\/module\.py$/.test(file) && CALLS.has(name);

/** Frames between a caller and a callee that only pass the call on. */
export const isPassThrough = ({ file, function: name }: Frame) =>
  /nn\/modules\/(module|container)\.py$/.test(file) && /_call_impl$|^inner$|^forward$/.test(name)
    ? !/container/.test(file) || name !== 'forward'
    : /torch\/(utils\/_contextlib|_dynamo|_ops)/.test(file);

/** The frames that name the place of an allocation: the model's (or the program's) own line, and the line that called it. */
export interface FramePlace {
  /** Deepest in the model's own code where there is one. */
  readonly site: Frame;
  /** The program's own line, where that is another. */
  readonly caller: Frame | null;
  /** What was done there, innermost. */
  readonly inner: Frame;
}

/**
 * `frames`: of one stack, innermost first. The model is what the program called as a module: the outermost `forward` of a
 * package below the program's own lines is in its file, and the deepest frame in that file says which of its lines it was.
 */
export function placeOf(frames: readonly Frame[]): FramePlace | null {
  const python = frames.filter((frame) => isPython(frame.file) && !isPassThrough(frame));
  const inner = python[0];
  if (!inner) return null;
  const own = python.find((frame) => ownerOf(frame) === 'program') ?? null;
  const model = modelFrame(frames, own);
  const inModule = own !== null && frames.slice(frames.indexOf(own)).some(isModuleCall);
  const outside = python.find((frame) => ownerOf(frame) !== 'framework') ?? inner;
  const site = model ?? (inModule ? own : outside);
  return { site, caller: own === site ? null : own, inner };
}

/** The deepest frame in the file of the outermost package's module below `own`; null where no package's module ran. */
function modelFrame(frames: readonly Frame[], own: Frame | null): Frame | null {
  const below = own === null ? frames : frames.slice(0, frames.indexOf(own));
  const called = below.findLast(
    (frame, i) =>
      frame.function === 'forward' && ownerOf(frame) === 'package' && isCalled(frames, i),
  );
  return called ? below.find(({ file }) => file === called.file)! : null;
}

/** Decorators may stand between a module's call and the `forward` that it is of. */
function isCalled(frames: readonly Frame[], at: number): boolean {
  for (let i = at + 1; i < frames.length; i++) {
    if (isModuleCall(frames[i]!)) return true;
    if (ownerOf(frames[i]!) === 'program') return false;
  }
  return false;
}
