import type * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { CLASSES, SIDE } from './digits.ts';

/** LeNet as Caffe trains it on handwritten digits, with the names that it has there. */
export function createLeNet(seed: number): tfl.Sequential {
  // A seed for each layer: the same one would start layers of equal size with equal weights.
  const weights = (layer: number) => tfl.initializers.glorotUniform({ seed: seed * 4 + layer });
  const pool = { poolSize: 2, strides: 2 };
  return tfl.sequential({
    name: 'lenet',
    layers: [
      tfl.layers.conv2d({
        name: 'conv1',
        inputShape: [SIDE, SIDE, 1],
        filters: 20,
        kernelSize: 5,
        kernelInitializer: weights(0),
      }),
      tfl.layers.maxPooling2d({ name: 'pool1', ...pool }),
      tfl.layers.conv2d({
        name: 'conv2',
        filters: 50,
        kernelSize: 5,
        kernelInitializer: weights(1),
      }),
      tfl.layers.maxPooling2d({ name: 'pool2', ...pool }),
      tfl.layers.flatten({ name: 'flatten' }),
      tfl.layers.dense({
        name: 'ip1',
        units: 500,
        activation: 'relu',
        kernelInitializer: weights(2),
      }),
      tfl.layers.dense({ name: 'ip2', units: CLASSES, kernelInitializer: weights(3) }),
      tfl.layers.softmax({ name: 'prob' }),
    ],
  });
}

/** What each layer made of the images, by the layer's name, in the order of the layers. */
export type Activations = ReadonlyMap<string, tf.Tensor>;

export function forward(model: tfl.Sequential, images: tf.Tensor): Activations {
  const activations = new Map<string, tf.Tensor>();
  let current = images;
  for (const layer of model.layers) {
    current = layer.apply(current, { training: true }) as tf.Tensor;
    activations.set(layer.name, current);
  }
  return activations;
}
