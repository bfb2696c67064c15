import type { Call } from './registry.ts';
import { floats } from './registry.ts';

/** What a fused kernel does to its product: adds a bias per column, then clips below zero. */
export interface Epilogue {
  readonly bias: Float32Array | null;
  readonly relu: boolean;
}

/** Reads the fused part of a call, or answers null where it is more than a bias and a relu. */
export function fusedEpilogue(call: Call, columns: number): Epilogue | null {
  const { activation } = call.attrs as { activation?: string };
  const linear = activation === undefined || activation === 'linear';
  if (!linear && activation !== 'relu') return null;
  const info = call.inputs.bias;
  if (info === undefined) return { bias: null, relu: !linear };
  if (info.shape.length !== 1 || info.shape[0] !== columns) return null;
  const bias = floats(call, info);
  return bias === null ? null : { bias, relu: !linear };
}

export function applyEpilogue(values: Float32Array, columns: number, epilogue: Epilogue): void {
  const { bias, relu } = epilogue;
  if (bias !== null) {
    for (let at = 0; at < values.length; at += columns) {
      for (let j = 0; j < columns; j++) values[at + j]! += bias[j]!;
    }
  }
  if (relu) {
    for (let i = 0; i < values.length; i++) {
      if (values[i]! < 0) values[i] = 0;
    }
  }
}
