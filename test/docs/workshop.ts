import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { python } from '../support/programs.ts';
import { CLI } from '../support/recorder.ts';

const SNAPSHOT = 'formats/torch-snapshot/h200-streams.pickle';
const RECORDING = 'recordings/v3.hw';
const H200 = 'formats/nvidia-smi/h200/memory';

/** The files that the documents speak of, and the fixtures that stand for them. */
const FILES: Readonly<Record<string, string>> = {
  'snapshot.pickle': SNAPSHOT,
  'before.pickle': SNAPSHOT,
  'after.pickle': 'formats/torch-snapshot/h200-pinned.pickle',
  'x.pickle': SNAPSHOT,
  'memory_cudnn.txt': `${H200}_cudnn.txt`,
  'memory_fft.txt': `${H200}_fft.txt`,
  'memory_gemm.txt': `${H200}_im2col.txt`,
  'get_memory_usage.log': 'formats/free-log/procps-3.3.9/get_memory_usage.log',
  'run.log': 'formats/training-log/caffe.log',
  'mprofile_20260101.dat': 'formats/mprof/0.61.0/plain.dat',
  'run.dat': 'formats/mprof/0.61.0/plain.dat',
  'vmstat.txt': 'formats/vmstat/procps-4.0.2/default.txt',
  'peaks.csv': 'fit/unet-peaks.csv',
  'unet-peaks.csv': 'fit/unet-peaks.csv',
  'logs/train.log': 'formats/mxnet-log/torch-2.11/cnn.log',
  ...Object.fromEntries(
    ['run', 'train', 'before', 'after', 'batch8', 'batch16', 'a', 'b', 'sweep/a', 'sweep/b']
      .concat(['highwater-runs/train', 'highwater-runs/lenet'])
      .map((name) => [`${name}.hw`, RECORDING]),
  ),
};

/** A training of a moment. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'train.py':
    'import time\nfor step in range(1, 31):\n    print(f"step {step}/30", flush=True)\n    time.sleep(0.02)\n',
  'infer.py': 'import time\ntime.sleep(0.3)\n',
  'train.js': 'setTimeout(() => {}, 300);\n',
  'serve.js': 'setTimeout(() => {}, 600);\n',
};

/** Makes a folder in which the documents' commands can be run; its `bin` belongs on the PATH. */
export function makeWorkshop(folder: string): void {
  for (const [name, fixture] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(resolve('test/fixtures', fixture), join(folder, name), { recursive: true });
  }
  const packed = gzipSync(readFileSync(join(folder, 'snapshot.pickle')));
  writeFileSync(join(folder, 'snapshot.pickle.gz'), packed);
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
  const heap = join(folder, 'Heap.heapsnapshot');
  execFileSync(process.execPath, ['-e', 'v8.writeHeapSnapshot(process.argv[1])', heap]);
  for (const name of ['app', 'x']) copyFileSync(heap, join(folder, `${name}.heapsnapshot`));
  mkdirSync(join(folder, 'bin'));
  const shim = join(folder, 'bin/highwater');
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(shim, 0o755);
  symlinkSync(python(), join(folder, 'bin/python'));
}
