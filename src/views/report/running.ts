import type { Running } from '../../analyses/running.ts';
import { printable } from '../../base/text.ts';

const PASSES: Readonly<Record<string, string>> = {
  forward: 'in the forward pass',
  backward: 'in the backward pass',
  optimizer: "in the optimizer's step",
  batch: 'while it waited for a batch',
  loading: 'while it loaded a file',
  saving: 'while it saved a file',
};

/** `train.py:120 in estimate_loss() ran, in the forward pass of Block, without gradients`. */
export function runningWords(running: Running | null): string[] {
  if (!running || running.place === '') return [];
  const { place, function: name, pass, module, grad } = running;
  const where = name === '<module>' ? place : `${place} in ${name}()`;
  const of = pass === 'forward' && module !== '' ? ` of ${module}` : '';
  const kept =
    pass !== 'forward' || grad === null ? '' : `, ${grad ? 'with' : 'without'} gradients`;
  const words = PASSES[pass] ? `, ${PASSES[pass]}${of}${kept}` : '';
  return [printable(`${where} ran then${words}`)];
}
