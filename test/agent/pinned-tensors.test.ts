import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { needs, python } from '../support/programs.ts';

/** Tensors as far as a survey asks them; `is_pinned` of one on a card, or without CUDA, would be a mistake. */
const PROGRAM = `
import sys, types
from highwater._inside.tensors import survey

class Storage:
    def __init__(self, number): self._cdata = number
    def nbytes(self): return 2 << 20

class Tensor:
    dtype, shape, grad, grad_fn, requires_grad = "torch.float32", (128, 4096), None, None, False
    def __init__(self, number, device, pinned):
        self.storage, self.device, self.pinned = Storage(number), device, pinned
    def untyped_storage(self): return self.storage
    def is_pinned(self):
        asked.append(self.device)
        return self.pinned

asked = []
torch = types.SimpleNamespace(
    Tensor=Tensor, nn=types.SimpleNamespace(Parameter=type("Parameter", (), {})),
    cuda=types.SimpleNamespace(is_initialized=lambda: sys.argv[1] == "started"))
kept = [Tensor(1, "cpu", True), Tensor(2, "cpu", True), Tensor(3, "cpu", False), Tensor(4, "cuda:0", False)]
rows, sums = survey(torch)
print(sorted([row[2], row[5], row[6] >> 20] for row in rows), sorted(set(asked)))
`;

const surveyed = (cuda: string) =>
  spawnSync(python(), ['-c', PROGRAM, cuda], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: resolve('python') },
  }).stdout.trim();

describe('a survey of tensors', () => {
  needs('python3')(
    'tells those in pinned memory apart, and asks none where CUDA has not started',
    () => {
      expect(surveyed('started')).toBe(
        "[['cpu', 1, 2], ['cpu pinned', 2, 4], ['cuda:0', 1, 2]] ['cpu']",
      );
      expect(surveyed('not started')).toBe("[['cpu', 3, 6], ['cuda:0', 1, 2]] []");
    },
  );
});
