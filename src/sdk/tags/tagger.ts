import type { Storage, StorageListener } from './lines.ts';
import type { Engine, Tensor, Variable } from './tfjs.ts';

/** A storage, and what it is known to be. */
interface Known extends Storage {
  kind: 'weight' | 'gradient' | 'optimizer' | 'other';
  /** The variable that it is, belongs to or was made from. */
  param: string | null;
}

/** Names that the library gives to variables that have none: those of optimizers. */
const UNNAMED = /^\d+$/;

/**
 * Says what each storage is for, from what can be seen in the engine: which layer and operation runs,
 * whether gradients flow, which variable a result is put into.
 */
export class Tagger {
  readonly #engine: Engine;
  readonly #listener: StorageListener;
  readonly #storages = new WeakMap<object, Known>();
  readonly #variableTags = new WeakMap<Variable, string>();
  /** Layers that are being applied, innermost last. */
  readonly layers: string[] = [];
  /** The operation that runs, and what goes into it. */
  operation: { readonly name: string; readonly inputs: readonly Tensor[] } | null = null;
  /** Called before each operation. */
  beforeOperation: (() => void) | null = null;
  /** In the backward pass: the layer whose forward step is being undone. */
  undoing: string | null = null;

  constructor(engine: Engine, listener: StorageListener) {
    this.#engine = engine;
    this.#listener = listener;
  }

  allocated(tensor: Tensor): void {
    const bytes = this.#engine.state.tensorInfo.get(tensor.dataId)?.bytes ?? 0;
    if (bytes === 0) return;
    const { backendName, backendInstance } = this.#engine;
    const onGpu = /webgl|webgpu/.test(backendName ?? '') || backendInstance?.isUsingGpuDevice;
    const storage = { bytes, place: onGpu ? 'GPU' : 'CPU', ...this.#purpose(tensor) } as const;
    this.#storages.set(tensor.dataId, storage);
    this.#listener.add('Allocate', storage);
  }

  released(dataId: object): void {
    const storage = this.#storages.get(dataId);
    if (!storage) return;
    this.#storages.delete(dataId);
    this.#listener.add('Release', storage);
  }

  storageOf(tensor: Tensor): Storage | null {
    return this.#storages.get(tensor.dataId) ?? null;
  }

  /** A variable was made of this storage, or has been given it as its new value. */
  becomes(variable: Variable): void {
    const storage = this.#storages.get(variable.dataId);
    let tag = this.#variableTags.get(variable);
    if (tag === undefined) {
      tag = variableTag(variable, storage?.param ?? null);
      this.#variableTags.set(variable, tag);
    }
    if (!storage) return;
    storage.tag = tag;
    storage.kind = tag.startsWith('_optimizer') ? 'optimizer' : 'weight';
    if (storage.kind === 'weight') storage.param = variable.name;
  }

  /** The variable whose weights these are; also of a tensor that only shows them in another shape. */
  weightOf(tensor: Tensor): string | null {
    const storage = this.#storages.get(tensor.dataId);
    return storage?.kind === 'weight' ? storage.param : null;
  }

  becomesGradient(tensor: Tensor, param: string): void {
    const storage = this.#storages.get(tensor.dataId);
    if (!storage || storage.kind === 'weight') return;
    Object.assign(storage, { tag: `arg_grad:${param}`, kind: 'gradient', param });
  }

  /** The layer at work; where none is known, that of the weights that go into the operation. */
  currentLayer(inputs: readonly Tensor[] = this.operation?.inputs ?? []): string {
    const weight = inputs.map((tensor) => this.weightOf(tensor)).find((name) => name !== null);
    return this.layers.at(-1) ?? /^(.+)\/[^/]*$/.exec(weight ?? '')?.[1] ?? '';
  }

  #purpose(tensor: Tensor): Pick<Known, 'tag' | 'kind' | 'param'> {
    const operation = this.operation?.name.replace(/^_+/, '').toLowerCase() ?? 'constant';
    const inputs = (this.operation?.inputs ?? []).flatMap(
      ({ dataId }) => this.#storages.get(dataId) ?? [],
    );
    const param = inputs.find((input) => input.param !== null)?.param ?? null;
    const other = (tag: string) => ({ tag, kind: 'other', param }) as const;
    if (this.#engine.state.scopeStack.some(({ name }) => name === 'backward')) {
      // Where weights are used twice, their gradients are added up.
      if (inputs.length > 0 && inputs.every(({ kind }) => kind === 'gradient')) {
        return { tag: `arg_grad:${param}`, kind: 'gradient', param };
      }
      return other(`backward_features:${this.undoing ?? ''}@${operation}`);
    }
    const ofGradient = inputs.find(({ kind }) => kind === 'gradient' || kind === 'optimizer');
    if (ofGradient && this.#engine.state.gradientDepth === 0) {
      const { param: of } = ofGradient;
      return { tag: `_optimizer_update_${of ?? ''}`, kind: 'optimizer', param: of };
    }
    const layer = this.currentLayer();
    if (this.operation || layer !== '' || tensor.size === 1) {
      return other(`forward_features:${layer}@${operation}`);
    }
    return other('data');
  }
}

function variableTag({ name, trainable, size }: Variable, madeFrom: string | null): string {
  const counter = size === 1;
  if (UNNAMED.test(name) && (!trainable || counter)) return `_optimizer_state_${madeFrom ?? name}`;
  return trainable ? `in_arg:${name}` : `aux_state:${name}`;
}
