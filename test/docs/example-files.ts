import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packedFiles, packFolder } from '../../src/model/disk/pack.ts';
import type { Files } from '../../src/model/disk/recording-files.ts';
import { python } from '../support/programs.ts';
import { CLI } from '../support/recorder.ts';

/** The files that the documents speak of, and the fixtures that stand for them. */
const FILES: Readonly<Record<string, string>> = {
  'snapshot.pickle.gz': 'snapshots/mlp_adam5.pickle.gz',
  'oom.pickle.gz': 'snapshots/oom_batch.pickle.gz',
  'run.hw': 'recordings/v3.hw', // of all kinds of tables a little, a GPU's too
  'before.pickle': 'formats/torch-snapshot/h200-streams.pickle',
  'after.pickle': 'formats/torch-snapshot/h200-pinned.pickle',
  'gpt_adam_allstacks.pickle.gz': 'snapshots/training/gpt_adam_allstacks.pickle.gz',
  'varlen.pickle.gz': 'snapshots/what-if/lstm_varlen.pickle.gz',
  'gpt_oom.pickle.gz': 'snapshots/training/gpt_oom.pickle.gz',
  'gpt_leak.pickle.gz': 'snapshots/training/gpt_leak.pickle.gz',
  ...Object.fromEntries(
    ['cudnn', 'direct', 'fft', 'im2col', 'winograd'].map((kernel) => [
      `memory_${kernel}.txt`,
      `formats/nvidia-smi/h200/memory_${kernel}.txt`,
    ]),
  ),
  'get_memory_usage.log': 'formats/free-log/procps-3.3.9/get_memory_usage.log',
  'run.log': 'formats/training-log/caffe.log',
  'mprofile_20260101.dat': 'formats/mprof/0.61.0/plain.dat',
  'run.dat': 'formats/mprof/0.61.0/plain.dat',
  'memory.prof': 'formats/pprof-heap/jax-0.10.2/memory.pb',
  'before.pb.gz': 'formats/pprof-heap/go-1.26/heap.pb',
  'after.pb.gz': 'formats/pprof-heap/go-1.26/heap.pb',
  'before.heap': 'formats/jemalloc/5.3.0/every.heap',
  'after.heap': 'formats/jemalloc/5.3.0/sampled.heap',
  'loader.heap': 'formats/jemalloc/5.3.0/every.heap',
  'loader.named.heap': 'formats/jemalloc/5.3.0/named.heap',
  'train.bin': 'formats/memray/1.20.0/train.bin',
  'loader.zst': 'formats/heaptrack/1.4.0/loader.zst',
  'snapshot.tracemalloc': 'formats/tracemalloc/python-3.11/snapshot.tracemalloc',
  'memory_viewer.json': 'formats/xla-memory-viewer/xprof-2.24.2/memory_viewer.json',
  'vmstat.txt': 'formats/vmstat/procps-4.0.2/default.txt',
  'peaks.csv': 'fit/unet-peaks.csv',
  'unet-peaks.csv': 'fit/unet-peaks.csv',
  'logs/train.log': 'formats/mxnet-log/torch-2.11/cnn.log',
};

/** The real recordings that are kept for the documents (test/fixtures/docs/make.sh), and what they are called. */
const RECORDINGS: Readonly<Record<string, readonly string[]>> = {
  train: ['train', 'before', 'batch8', 'a', 'sweep/a', 'highwater-runs/train'],
  leak: ['leak', 'after', 'batch16', 'b', 'sweep/b', 'highwater-runs/lenet'],
  killed: ['killed'],
};

/** A training of a moment, and a file that is nothing. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'train.py':
    'import time\nfor step in range(1, 31):\n    print(f"step {step}/30", flush=True)\n    time.sleep(0.01)\n',
  'sim.py':
    'import sys, time\nfrom array import array\nactivity = array("d", [1.5]) * int(sys.argv[1]) * 100_000\nnames = [f"unit {i}" for i in range(20_000)]\ntime.sleep(0.3)\n',
  'infer.py': 'import time\ntime.sleep(0.3)\n',
  'nonsense.txt': 'of no format\n',
  'train.js': 'setTimeout(() => {}, 300);\n',
  'serve.js': 'setTimeout(() => {}, 600);\n',
};

/** The end of a training on four cards. */
const CRASHED = `epoch 1 step 10 loss 0.31
epoch 1 step 11 loss 0.30
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 23.64 GiB of which 1.14 GiB is free. Including non-PyTorch memory, this process has 22.50 GiB memory in use. Of the allocated memory 21.80 GiB is allocated by PyTorch, and 140.00 MiB is reserved by PyTorch but unallocated.
`;

/** Makes a folder in which the documents' commands can be run; its `bin` belongs on the PATH. */
export function makeExampleFiles(folder: string): void {
  for (const [name, fixture] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(resolve('test/fixtures', fixture), join(folder, name), { recursive: true });
  }
  for (const [fixture, names] of Object.entries(RECORDINGS)) {
    const files = packedFiles(resolve('test/fixtures/docs', `${fixture}.hwz`));
    for (const name of names) unpackInto(join(folder, `${name}.hw`), files);
  }
  writeFileSync(join(folder, 'slurm-4711.out'), CRASHED);
  const snapshot = gunzipSync(readFileSync(join(folder, 'snapshot.pickle.gz')));
  for (const name of ['snapshot', 'x']) writeFileSync(join(folder, `${name}.pickle`), snapshot);
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
  const heap = join(folder, 'Heap.heapsnapshot');
  execFileSync(process.execPath, ['-e', 'v8.writeHeapSnapshot(process.argv[1])', heap]);
  for (const name of ['app', 'x']) copyFileSync(heap, join(folder, `${name}.heapsnapshot`));
  packWithHeap(join(folder, 'train.hw'), heap, join(folder, 'run.hwz'));
  mkdirSync(join(folder, 'bin'));
  const shim = join(folder, 'bin/highwater');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(shim, 0o755);
  symlinkSync(python(), join(folder, 'bin/python'));
}

/** As `pack` does with a recording of `record --heap`. */
function packWithHeap(recording: string, heap: string, target: string): void {
  const folder = `${target}.folder`;
  const name = 'heap/0/v8.heapsnapshot';
  cpSync(recording, folder, { recursive: true });
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  copyFileSync(heap, join(folder, name));
  packFolder(folder, target, false, [name]);
  rmSync(folder, { recursive: true });
}

function unpackInto(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true });
  for (const name of files.list()) writeFileSync(join(folder, name), files.read(name)!);
}
