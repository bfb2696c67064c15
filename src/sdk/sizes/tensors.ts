import { runningEngine } from '../tags/tfjs.ts';

/** The data of a TensorFlow.js tensor. */
export interface TensorData {
  /** The same for all tensors that share it. */
  readonly key: object;
  readonly bytes: number;
  /** `cpu`, or the backend that has it on a GPU. */
  readonly device: string;
}

/** null: no tensor, or one that was disposed of. */
export function tensorData(value: object): TensorData | null {
  const key = (value as { dataId?: unknown }).dataId;
  if (typeof key !== 'object' || key === null) return null;
  const engine = runningEngine();
  const bytes = engine?.state.tensorInfo.get(key)?.bytes;
  return bytes === undefined ? null : { key, bytes, device: deviceOf(engine!) };
}

const ON_GPU: ReadonlySet<string> = new Set(['webgl', 'webgpu']);

function deviceOf({ backendName, backendInstance }: NonNullable<ReturnType<typeof runningEngine>>) {
  const gpu = ON_GPU.has(backendName ?? '') || backendInstance?.isUsingGpuDevice === true;
  return gpu ? `${backendName}:0` : 'cpu';
}
