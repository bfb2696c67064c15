import type { Engine, Tensor, Variable } from '../tags/tfjs.ts';

/** The parts of a TensorFlow.js model and optimizer that are looked at; the package is the user's. */
export interface ModelLike {
  readonly layers: readonly object[];
  readonly weights: readonly WeightLike[];
  readonly trainableWeights: readonly WeightLike[];
  readonly optimizer?: object | null;
}

interface WeightLike {
  /** Made unique in the process: a second model's has a number at its end. */
  readonly name: string;
  readonly originalName?: string;
  read(): unknown;
}

/** A tensor that lives as long as the model does. */
export interface ModelTensor {
  readonly kind: 'weight' | 'buffer' | 'optimizer';
  readonly name: string;
  readonly tensor: Tensor;
}

/** Names of the layers, in their order. */
export const layerNames = ({ layers }: ModelLike): string[] =>
  layers.map((layer) => String((layer as { name?: unknown }).name ?? ''));

export function isModel(value: unknown): value is ModelLike {
  const model = value as Partial<ModelLike> | null | undefined;
  return Array.isArray(model?.layers) && 'weights' in model && 'trainableWeights' in model;
}

/** What to call each weight, by the name of its variable: as the layer calls it, where that is clear. */
export function weightNames({ weights }: ModelLike): Map<string, string> {
  const usual = weights.map(({ name, originalName = name }) => originalName);
  const twice = new Set(usual.filter((name, i) => usual.indexOf(name) !== i));
  return new Map(
    weights.map((weight, i) => {
      const variable = (weight.read() as { name?: string }).name ?? weight.name;
      return [variable, twice.has(usual[i]!) ? weight.name : usual[i]!];
    }),
  );
}

/** Weights first: bytes that a slot shares with one count as its. */
export function modelTensors(
  model: ModelLike,
  optimizer: object | null | undefined,
  { state }: Engine,
): ModelTensor[] {
  const trained = new Set(model.trainableWeights);
  const names = weightNames(model);
  const weights = model.weights.map((weight): ModelTensor => {
    const tensor = weight.read() as Variable;
    const kind = trained.has(weight) ? 'weight' : 'buffer';
    return { kind, name: names.get(tensor.name) ?? weight.name, tensor };
  });
  const seen = new Set<object>();
  return [...weights, ...(optimizer ? slots(optimizer, names) : [])].filter(({ tensor }) => {
    // Layers may share a weight; and a model that was disposed of holds nothing.
    if (seen.has(tensor.dataId) || !state.tensorInfo.has(tensor.dataId)) return false;
    seen.add(tensor.dataId);
    return true;
  });
}

/** Every tensor that an optimizer keeps: slots by their parameter, its own numbers under no name. */
function slots(optimizer: object, names: ReadonlyMap<string, string>): ModelTensor[] {
  return Object.values(optimizer).flatMap((field): ModelTensor[] => {
    if (isTensor(field)) return [{ kind: 'optimizer', name: '', tensor: field }];
    if (!Array.isArray(field)) return [];
    return field.flatMap((slot: { originalName?: unknown; variable?: unknown } | null) => {
      if (!isTensor(slot?.variable)) return [];
      // `conv1/kernel/momentum` is the momentum of conv1/kernel.
      const of = String(slot.originalName ?? '').replace(/\/[^/]*$/, '');
      return [{ kind: 'optimizer' as const, name: names.get(of) ?? of, tensor: slot.variable }];
    });
  });
}

const isTensor = (value: unknown): value is Tensor =>
  typeof value === 'object' && value !== null && 'dataId' in value;
