/**
 * The part of TensorFlow.js that is watched: its engine, one a process, through which every tensor
 * goes. Types of our own, as the package is the user's and need not be there.
 */

export interface Tensor {
  readonly dataId: object;
  readonly size: number;
}

export interface Variable extends Tensor {
  readonly name: string;
  readonly trainable: boolean;
}

type Named<T> = Readonly<Record<string, T>>;
/** The gradients of a step, by the names of its inputs; each is computed when it is called. */
type Gradients = Record<string, () => Tensor>;

export interface TapeNode {
  gradient?: (dys: unknown) => Gradients;
}

export interface Engine {
  readonly backendName: string | null;
  readonly backendInstance?: { readonly isUsingGpuDevice?: boolean } | null;
  readonly state: {
    readonly gradientDepth: number;
    readonly numTensors: number;
    readonly activeTape: TapeNode[] | null;
    readonly scopeStack: readonly { readonly name: string }[];
    readonly tensorInfo: WeakMap<object, { readonly bytes: number }>;
    readonly registeredVariables: Named<Variable>;
  };
  trackTensor(tensor: Tensor, backend: unknown): void;
  removeDataId(dataId: object, backend: unknown): void;
  incRef(tensor: Tensor, backend: unknown): void;
  runKernel(name: string, inputs: Named<Tensor | null | undefined>, attrs: unknown): unknown;
  addTapeNode(name: string, inputs: Named<Tensor>, ...rest: readonly unknown[]): void;
}

export interface Layer {
  readonly name: string;
  apply(...args: unknown[]): unknown;
}

/** Where the engine is kept for all copies of the library. */
const GLOBAL = '_tfengine';
type Global = { [GLOBAL]?: Engine };

export function runningEngine(): Engine | null {
  return (globalThis as Global)[GLOBAL] ?? null;
}

/** Calls back with the engine: at once, or when the program loads the library. */
export function whenEngine(use: (engine: Engine) => void): void {
  const running = runningEngine();
  if (running) {
    use(running);
    return;
  }
  Object.defineProperty(globalThis, GLOBAL, {
    configurable: true,
    enumerable: true,
    get: () => undefined,
    set(engine: Engine) {
      Object.defineProperty(globalThis, GLOBAL, {
        value: engine,
        writable: true,
        configurable: true,
        enumerable: true,
      });
      if (engine) use(engine);
    },
  });
}

/** What all layers inherit `apply` from, by any of them. */
export function layerBase(layer: object): Layer | null {
  let found: object | null = null;
  for (let at: object | null = layer; at; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, 'apply') && Object.hasOwn(at, 'addWeight')) found = at;
  }
  return found as Layer | null;
}
