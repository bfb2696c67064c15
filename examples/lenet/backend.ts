import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';

/** Chooses the backend in plain JavaScript, which is slow, and which says so unless told not to. */
export async function useCpuBackend(): Promise<void> {
  tf.enableProdMode();
  await tf.setBackend('cpu');
}
