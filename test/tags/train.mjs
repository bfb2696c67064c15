// A plain program that knows nothing of Highwater: two layers with weights, one without, Adam.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';

tf.enableProdMode();
await tf.setBackend('cpu');
const model = tfl.sequential({
  layers: [
    tfl.layers.dense({ name: 'first', units: 8, inputShape: [4] }),
    tfl.layers.leakyReLU({ name: 'leaky' }),
    tfl.layers.dense({ name: 'second', units: 1 }),
  ],
});
model.compile({ optimizer: tf.train.adam(0.1), loss: 'meanSquaredError' });
const [x, y] = [tf.ones([16, 4]), tf.ones([16, 1])];
await model.fit(x, y, { epochs: 2, batchSize: 16, verbose: 0, yieldEvery: 'never' });
console.log(`buffers ${tf.memory().numDataBuffers}`);
