import { isModel, type ModelLike } from '../profiler/model.ts';
import { runningEngine } from '../tags/tfjs.ts';
import { tensorData } from './tensors.ts';

/** For all copies of this package: the program's own, and the one that `highwater sizes` loads. */
const KNOWN = Symbol.for('highwater.models');
type Global = { [KNOWN]?: WeakRef<object>[] };
const known = () => ((globalThis as Global)[KNOWN] ??= []);

/** A model that the program itself pointed out, by making a MemoryProfiler of it. */
export function rememberModel(model: object): void {
  known().push(new WeakRef(model));
}

/** What is sized where nothing is named: models of profilers, else every variable of TensorFlow.js. */
export function defaultRoots(): { roots: unknown[]; name: string } {
  const models = known().flatMap((one) => one.deref() ?? []);
  if (models.length > 0) return { roots: models, name: namesOf(models) };
  const variables = Object.values(runningEngine()?.state.registeredVariables ?? {});
  if (variables.length > 0) return { roots: [variables], name: 'the variables of TensorFlow.js' };
  return { roots: [], name: 'nothing: name a root' };
}

export const namesOf = (roots: readonly unknown[]): string =>
  [...new Set(roots.slice(0, 4).map((root) => Object(root).constructor?.name ?? 'Object'))].join(
    ' and ',
  );

/** Numbers that a model is made of: those of arrays each time that one is held, however they share memory. */
export function connections(roots: readonly unknown[]): number {
  const seen = new Set<object>();
  let found = 0;
  const visit = (value: unknown): void => {
    const size = elements(value);
    if (size !== null) found += size;
    else if (isModel(value)) found += modelConnections(value);
    else if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value);
      queue.push(value);
    }
  };
  const queue: object[] = [];
  for (const root of roots) visit(root);
  for (let one = queue.pop(); one; one = queue.pop()) {
    if (one instanceof Map || one instanceof Set) for (const item of one.values()) visit(item);
    for (const key of Reflect.ownKeys(one)) {
      const property = Reflect.getOwnPropertyDescriptor(one, key);
      if (property && 'value' in property) visit(property.value);
    }
  }
  return found;
}

/** Of the layers one by one: a weight that two of them share is a connection in both. */
function modelConnections({ layers, weights }: ModelLike): number {
  const sizeOf = (weight: { read(): unknown }) => elements(weight.read()) ?? 0;
  const sum = (all: readonly { read(): unknown }[]) =>
    all.reduce((total, weight) => total + sizeOf(weight), 0);
  const each = layers.map((layer) =>
    sum((layer as { weights?: ModelLike['weights'] }).weights ?? []),
  );
  return each.reduce((total, size) => total + size, 0) || sum(weights);
}

/** null: neither a tensor nor a typed array. */
function elements(value: unknown): number | null {
  if (typeof value !== 'object' || value === null) return null;
  if (ArrayBuffer.isView(value)) return 'length' in value ? Number(value.length) : 0;
  return tensorData(value) ? Number((value as { size?: number }).size ?? 0) : null;
}
