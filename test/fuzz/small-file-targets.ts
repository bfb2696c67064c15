import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { check } from '../../src/analyses/check/index.ts';
import { runFigures } from '../../src/analyses/check/run-figures.ts';
import { outOfMemory } from '../../src/analyses/out-of-memory.ts';
import { report } from '../../src/analyses/report.ts';
import { withUserRules } from '../../src/analyses/tags/rules-file.ts';
import { outOfMemoryVerdict } from '../../src/analyses/verdict/out-of-memory.ts';
import { Redactor, usersIn } from '../../src/base/redaction/index.ts';
import { redactArgv, withoutSecrets } from '../../src/base/secrets/index.ts';
import { readBaseline, saveBaseline } from '../../src/cli/commands/check/baseline.ts';
import { readConfig } from '../../src/cli/commands/check/config.ts';
import { limitsOf } from '../../src/cli/commands/check/limits.ts';
import { CrashReader, splitLines } from '../../src/formats/log-lines/index.ts';
import { readSizesFile } from '../../src/model/disk/sizes-file.ts';
import { crashPassages } from '../../src/views/out-of-memory/passages.ts';
import { sizesAccounting } from '../../src/views/sizes.ts';
import { sampleRecording } from '../support/sample-recording.ts';
import { editJson } from './mutate-json.ts';
import { fileTarget, type Target } from './target.ts';

/** Files of a few lines that people write by hand, or that commands leave for later ones. */
export function smallFileTargets(): Target[] {
  return [
    rulesTarget(),
    configTarget(),
    baselineTarget(),
    sizesTarget(),
    commandLineTarget(),
    crashTextTarget(),
    engineLogTarget(),
  ];
}

const encoded = (text: string) => new TextEncoder().encode(text);
const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function rulesTarget(): Target {
  const rules = [{ match: 'moe', category: 'moe', group: 'forward', label: 'experts' }];
  const seeds = [{ label: 'rules.json', bytes: encoded(JSON.stringify(rules)) }];
  return fileTarget('tag-rules', seeds, [editJson], (label, bytes) => {
    withUserRules(label, decoded(bytes));
  });
}

/** Logs of programs that ran out of memory, and what is said of them. */
function crashTextTarget(): Target {
  const texts: { name: string; text: string }[] = JSON.parse(
    readFileSync('test/fixtures/crash-texts/tuning.json', 'utf8'),
  );
  const seeds = texts.map(({ name, text }) => ({ label: name, bytes: encoded(text) }));
  return fileTarget('crash-text', seeds, [], (label, bytes) => {
    const [reader, lines] = [new CrashReader(), splitLines()];
    for (const line of [...lines.push(bytes), ...lines.end()]) reader.push(line);
    const result = outOfMemory(reader.end(label));
    crashPassages(result, outOfMemoryVerdict(result));
  });
}

/** Logs of engines that serve models, and the plans in them. */
function engineLogTarget(): Target {
  const lines = [
    'INFO 12-20 20:25:46 worker.py:241] the current vLLM instance can use total_gpu_memory (15.77GiB) x gpu_memory_utilization (0.90) = 14.20GiB',
    'INFO 12-20 20:25:46 worker.py:241] model weights take 7.51GiB; non_torch_memory takes 0.39GiB; PyTorch activation peak memory takes 2.53GiB; the rest of the memory reserved for KV Cache is 3.76GiB.',
    '(Worker_TP0 pid=7) INFO 09-20 10:01:00 [gpu_worker.py:391] Free memory on device (78.50/79.00 GiB) on startup. Desired GPU memory utilization is (0.92, 72.68 GiB). Actual usage is 9.0 GiB for weight, 3.0 GiB for peak activation, 0.68 GiB for non-torch memory, and 0.9 GiB for CUDAGraph memory.',
    'INFO 10:05:00 Engine 000: Running: 3 reqs, Waiting: 1 reqs, GPU KV cache usage: 12.5%, Prefix cache hit rate: 0.0%',
    'load_tensors:        CUDA0 model buffer size =  8000.00 MiB',
    'llama_kv_cache: size =  400.00 MiB ( 65536 cells,   8 layers,  1/1 seqs)',
    '|   - CUDA0 (RTX 3090)   | 24124 = 14435 + ( 9238 =  8000 +     598 +     640) +         451 |',
    'msg="model weights" device=CUDA0 size="4.5 GiB"',
    'INFO 12:00:00 [engine] plan: weights 104857600 bytes (100.00 MiB)',
  ];
  const seeds = [{ label: 'engines.log', bytes: encoded(lines.join('\n')) }];
  return fileTarget('engine-log', seeds, [], (label, bytes) => {
    const [reader, split] = [new CrashReader(), splitLines()];
    for (const line of [...split.push(bytes), ...split.end()]) reader.push(line);
    const result = outOfMemory(reader.end(label));
    crashPassages(result, outOfMemoryVerdict(result));
  });
}

const NO_FLAGS = { peak: [], leak: true, growth: [], baseline: [], maxRegress: [] };

let scratch: string | undefined;

/** These are read by their path. */
function written(name: string, bytes: Uint8Array): string {
  scratch ??= mkdtempSync(join(tmpdir(), 'highwater-fuzz-'));
  const path = join(scratch, name);
  writeFileSync(path, bytes);
  return path;
}

function configTarget(): Target {
  const limits = {
    peak: ['tree.pss<=8GiB', 'gpu<=24GiB'],
    noLeak: true,
    growth: '<=1MiB/iteration',
  };
  const given = { check: { ...limits, baseline: 'memory.json', maxRegress: '3%' } };
  const seeds = [{ label: 'highwater.config.json', bytes: encoded(JSON.stringify(given)) }];
  return fileTarget('config', seeds, [editJson], (label, bytes) => {
    limitsOf(NO_FLAGS, readConfig(written(label, bytes)));
  });
}

/** A run is held against what was read. */
function baselineTarget(): Target {
  const run = report(sampleRecording(12));
  const path = written('made.json', new Uint8Array(0));
  saveBaseline(path, [runFigures(run)], true);
  const seeds = [{ label: 'memory.json', bytes: new Uint8Array(readFileSync(path)) }];
  return fileTarget('baseline', seeds, [editJson], async (label, bytes) => {
    const before = await readBaseline([written(label, bytes)]);
    const flags = { ...NO_FLAGS, baseline: ['it'], maxRegress: ['3%'] };
    check([run], limitsOf(flags, readConfig(null)).limits, before);
  });
}

/** What processes told of their sizes, beside a recording. */
function sizesTarget(): Target {
  const value = {
    language: 'python',
    pid: 7,
    root: 'model',
    topsize: 5e7,
    code: { mapped: 1e7, loaded: 2e6 },
    simsize: 1e6,
    wtsize: 2e6,
    devices: { 'cuda:0': 4e6 },
    connections: 3,
    explained: 2e7,
    optimisable: 1e6,
    rest: [['heap', 5e5]],
    notes: ['a note'],
  };
  const told = [
    { at: 'exit', rank: 0, value },
    { at: 'iteration 5', rank: null, value },
  ];
  const seeds = [{ label: 'sizes.json', bytes: encoded(JSON.stringify({ told })) }];
  return fileTarget('sizes', seeds, [editJson], (label, bytes) => {
    for (const { sizes } of readSizesFile(dirname(written(label, bytes)))) sizesAccounting(sizes);
  });
}

/** Command lines of any process pass here before they are stored: a list of words, as JSON. */
function commandLineTarget(): Target {
  const lines = [
    [
      'python',
      'train.py',
      '--api-key',
      'abc',
      '--lr=0.1',
      'TOKEN=x',
      '--header=Authorization: token s',
    ],
    [
      'sh',
      '-c',
      'curl -H "Authorization: Bearer abc" https://me:pw@host/x?key=1 | login(token=\'S\')',
    ],
    ['node', '-e', '{"api_key": "S", "deep": {"password": "two words"}}', '/home/me/run/a.py'],
  ];
  const seeds = lines.map((words, i) => ({
    label: `${i}.json`,
    bytes: encoded(JSON.stringify(words)),
  }));
  return fileTarget('command-lines', seeds, [editJson], (_, bytes) => {
    const words = wordsIn(decoded(bytes));
    const redactor = new Redactor(['me'], ['host']);
    for (const word of redactArgv(words)) {
      withoutSecrets(word);
      usersIn(word);
      redactor.text(redactor.command(word));
    }
  });
}

function wordsIn(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).map((word) =>
      typeof word === 'string' ? word : (JSON.stringify(word) ?? ''),
    );
  } catch {
    return text.split(' ');
  }
}
