import { describe, expect, it } from 'vitest';
import { ownerOf, packageOf, placeOf } from '../../src/model/allocations/frame-owner.ts';
import type { Frame } from '../../src/model/allocations/names.ts';

/** A place whose name has the framework's in it, as many containers have. */
const LIB = '/opt/torch/.venv/lib/python3.12/site-packages';
const frame = (name: string, file: string, line = 1): Frame => ({ function: name, file, line });
const CALL = [
  frame('_call_impl', `${LIB}/torch/nn/modules/module.py`, 1790),
  frame('_wrapped_call_impl', `${LIB}/torch/nn/modules/module.py`, 1779),
];
const SCRIPT = frame('<module>', '/home/ada/experiments/train.py', 34);
const GPT = `${LIB}/transformers/models/gpt2/modeling_gpt2.py`;
const NATIVE = frame('at::native::empty_cuda(long)', '??', 0);

describe('whose code a frame is', () => {
  it.each([
    ['/home/ada/experiments/train.py', null, 'program'],
    ['/opt/torch/project/model.py', null, 'program'],
    ['<ipython-input-3-abc>', null, 'program'],
    [`${LIB}/torch/nn/modules/linear.py`, 'torch', 'framework'],
    ['torch/nn/functional.py', 'torch', 'framework'],
    ['/opt/pytorch/pytorch/torch/nn/modules/module.py', 'torch', 'framework'],
    [`${LIB}/transformers/cache_utils.py`, 'transformers', 'package'],
    ['/usr/lib/python3/dist-packages/six.py', 'six', 'package'],
    ['/usr/lib/python3.12/contextlib.py', 'Python', 'framework'],
    ['<frozen importlib._bootstrap>', 'Python', 'framework'],
    ['/tmp/torchinductor_ada/fs/cfsb.py', 'torch.compile', 'package'],
    ['??', null, 'native'],
  ])('%s', (file, name, owner) => {
    expect(packageOf(file)).toBe(name);
    expect(ownerOf(frame('f', file))).toBe(owner);
  });
});

describe('where something was made', () => {
  it("is the deepest line of a package's model, beside the program's call", () => {
    const frames = [
      NATIVE,
      frame('forward', `${LIB}/transformers/pytorch_utils.py`, 119),
      ...CALL,
      frame('forward', GPT, 239),
      ...CALL,
      frame('forward', GPT, 305),
      frame('__call__', `${LIB}/transformers/modeling_layers.py`, 109),
      frame('forward', GPT, 608),
      frame('wrapper', `${LIB}/transformers/utils/generic.py`, 939),
      ...CALL,
      SCRIPT,
    ];
    const place = placeOf(frames)!;
    expect(place.site).toMatchObject({ file: GPT, line: 239 });
    expect(place.caller).toBe(SCRIPT);
    expect(place.inner.line).toBe(119);
  });

  it("is the deepest line of the program's own model, whatever helpers it calls", () => {
    const own = frame('forward', '/home/ada/experiments/model.py', 39);
    const frames = [
      frame('einsum', `${LIB}/einops/_backends.py`, 291),
      own,
      ...CALL,
      frame('forward', '/home/ada/experiments/model.py', 12),
      ...CALL,
      SCRIPT,
    ];
    expect(placeOf(frames)).toMatchObject({
      site: own,
      caller: null,
      inner: { function: 'einsum' },
    });
  });

  it("names a package's model within the program's own, and who called it", () => {
    const own = frame('forward', '/home/ada/experiments/model.py', 39);
    const timm = frame('forward', `${LIB}/timm/models/resnet.py`, 180);
    const frames = [
      frame('batch_norm', `${LIB}/torch/nn/functional.py`, 2822),
      frame('forward', `${LIB}/torch/nn/modules/batchnorm.py`, 194),
      ...CALL,
      timm,
      ...CALL,
      own,
      ...CALL,
      SCRIPT,
    ];
    expect(placeOf(frames)).toMatchObject({ site: timm, caller: own });
  });

  it('is the call itself where no line of a model is in the stack', () => {
    const frames = [
      frame('_init_group', `${LIB}/torch/optim/adam.py`, 178),
      frame('step', `${LIB}/torch/optim/adam.py`, 238),
      SCRIPT,
    ];
    expect(placeOf(frames)).toMatchObject({
      ...{ site: SCRIPT, caller: null },
      inner: { function: '_init_group' },
    });
    expect(placeOf([NATIVE])).toBeNull();
  });
});
