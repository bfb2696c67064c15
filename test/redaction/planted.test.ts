import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { RecordingBuilder } from '../../src/model/builder.ts';
import { packedFiles } from '../../src/model/disk/pack.ts';
import { saveRecording } from '../../src/model/disk/save.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { openHeap } from '../../src/open/heaps.ts';
import { tempFolder } from '../support/files.ts';
import { lack, python } from '../support/programs.ts';
import { highwater, place } from '../support/recorder.ts';
import { addRow } from '../support/rows.ts';
import { copyOf, figuresOf, notesOf, reportOf } from './figures.ts';

/** A person, a machine, two projects and secrets, in whatever case they were planted. */
const PLANTED = /annabel|quuxworth|dgx-acme|hunter2|sk-live|zorblax/i;

const SNAPSHOT = `
import pickle, sys
home = "/home/annabel/quuxworth"
def frame(name, file, line): return {"name": name, "filename": file, "line": line}
lib = "/home/annabel/.venv/lib/python3.11/site-packages/torch/nn/modules/module.py"
stacks = [
    [frame("forward", home + "/zorblax_net.py", 7), frame("_call_impl", lib, 1553), frame("train_zorblax", home + "/train.py", 3)],
    [frame("quuxworth::kernel<Zorblax>(at::Tensor)", "??", 0), frame("ZorblaxHead.build", "/opt/quuxworth/lib.py", 4)],
    [frame("step", home + "/zorblax_optimizers/adam.py", 9)],
]
trace, blocks = [], []
for i in range(40):
    size = 4096 * (i + 1)
    trace.append({"action": "alloc", "addr": (i + 1) << 20, "size": size, "stream": 0, "time_us": 1700000000000000 + i,
                  "frames": stacks[i % 3], "user_metadata": "zorblax batch of annabel" if i % 2 else "optimizer_state"})
    blocks.append({"address": (i + 1) << 20, "size": size, "requested_size": size, "state": "active_allocated", "frames": stacks[i % 3]})
trace.append({"action": "oom", "addr": 0, "size": 1 << 30, "device_free": 5, "stream": 0, "time_us": 1700000000000100, "frames": stacks[0]})
segments = [{"device": 0, "address": 1 << 20, "total_size": 41 << 20, "stream": 0, "segment_type": "large", "blocks": blocks, "is_expandable": False}]
notes = [{"name": "Optimizer.step#ZorblaxAdam.step", "stage": stage, "time_us": 1700000000000010 + i} for i, stage in enumerate(("START", "END"))]
whole = {"segments": segments, "device_traces": [trace], "external_annotations": notes, "zorblax_key": b"hunter2" if int(sys.argv[2]) > 2 else None,
         "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True", "note": "on dgx-acme-7 token=sk-live-abcdef1234567890"}}
pickle.dump(whole, open(sys.argv[1], "wb"), protocol=int(sys.argv[2]))
`;

const PYTHON_HEAP = `
import sys
sys.path.insert(0, sys.argv[2])
from highwater import heap
class ZorblaxNet:
    def __init__(self, i):
        self.quuxworth_rows = ["said annabel %d" % i, "sk-live-%d" % i, "Annabel", "annabel"]
cache = {"/home/annabel/quuxworth/%d.csv" % i: ZorblaxNet(i) for i in range(200)}
def run(zorblax_local):
    heap.dump(sys.argv[1], mode="inside").wait()
run(cache)
`;

const V8_HEAP = `
class ZorblaxThing { constructor(i) { this.quuxworthField = 'said annabel ' + i; this.key = 'sk-live-' + i; } }
function zorblax() { this.hunter2 = 1; }
const cache = new Map();
for (let i = 0; i < 200; i++) cache.set('/home/annabel/' + i, i % 2 ? new ZorblaxThing(i) : new zorblax());
const weak = new WeakMap([...cache.values()].map((one) => [one, new ZorblaxThing(9)]));
globalThis.quuxworthHandler = () => cache.size + weak.has({});
require('v8').writeHeapSnapshot(process.argv[2]);
`;

let made: { folder: string; python: string; v8: string; pickle: string };

describe.skipIf(lack('python3') !== null)('names that were planted', () => {
  beforeAll(() => {
    const folder = place('zorblax-run.hw');
    mkdirSync(join(folder, 'heap/1'), { recursive: true });
    mkdirSync(join(folder, 'heap/2'), { recursive: true });
    const beside = {
      python: join(folder, 'heap/1/python.hwheap'),
      v8: join(folder, 'heap/2/v8.heapsnapshot'),
    };
    const pickle = join(folder, 'oom-7-0.pickle');
    const programs = place('quuxworth');
    mkdirSync(programs);
    const run = (program: string, name: string, text: string, ...args: string[]) => {
      writeFileSync(join(programs, name), text);
      execFileSync(program, [join(programs, name), ...args]);
    };
    run(python(), 'snapshot.py', SNAPSHOT, pickle, '4');
    run(python(), 'zorblax.py', PYTHON_HEAP, beside.python, join(process.cwd(), 'python'));
    run(process.execPath, 'zorblax.cjs', V8_HEAP, beside.v8);
    saveRecording(telling(), folder);
    made = { folder, pickle, ...beside };
  });

  it('are in nothing that pack --redact gives away, and the report is the same', async () => {
    const out = join(tempFolder(), 'given.hwz');
    const ran = await highwater(['pack', made.folder, '--redact', '-o', out]);
    expect([ran.code, String(ran.stdout)]).toEqual([0, `${out}\n`]);
    expect(ran.stderr).toMatch(/with 2 heaps of .*, without names and texts/);
    const files = packedFiles(out);
    const names = files.list();
    expect(names).toEqual(
      expect.arrayContaining([
        'oom-7-0.pickle',
        'heap/1/python.hwheap',
        'heap/2/v8.heapsnapshot',
        'run.json',
      ]),
    );
    for (const name of names) {
      const bytes = Buffer.from(files.read(name)!);
      expect([name, PLANTED.exec(bytes.toString('latin1'))?.[0]]).toEqual([name, undefined]);
      expect([name, PLANTED.exec(bytes.toString('utf16le'))?.[0]]).toEqual([name, undefined]);
    }
    const [whole, given] = [await reportOf(made.folder, await notesOf(out)), await reportOf(out)];
    expect(figuresOf(given)).toEqual(figuresOf(whole));
    expect(JSON.stringify(whole)).toMatch(PLANTED);
    // What the advice rests on is still there.
    expect(JSON.stringify(given)).toMatch(/forward/);
  });

  it('are in no page of report --html --redact', async () => {
    const html = join(tempFolder(), 'given.html');
    const ran = await highwater(['report', made.folder, '--html', html, '--redact']);
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('opens in any browser')]);
    const page = readFileSync(html, 'utf8');
    expect(page).not.toMatch(PLANTED);
    const blocks = [...page.matchAll(/data-highwater="(data:[^"]*|job)"[^>]*>([^<]*)</g)];
    expect(blocks.length).toBeGreaterThan(4);
    expect(blocks.map(([, name]) => name)).toContain('data:run/0/what-if');
    for (const [, name, base64] of blocks) {
      const bytes = Buffer.from(base64!, 'base64');
      const text = (name === 'job' ? bytes : inflateSync(bytes)).toString('latin1');
      expect([name, PLANTED.exec(text)?.[0]]).toEqual([name, undefined]);
    }
    expect(readdirSync(join(html, '..'))).toEqual(['given.html']);
    const told = JSON.parse(
      Buffer.from(blocks.find(([, name]) => name === 'job')![2]!, 'base64').toString(),
    );
    expect(told.runs[0].path).not.toContain('/');
  });

  it('heaps keep every object, size and reference', async () => {
    for (const path of [made.python, made.v8]) {
      const [{ heap: whole }, { heap: given }] = [
        await openHeap(path),
        await openHeap(await copyOf(path)),
      ];
      const [before, after] = [whole!.graph, given!.graph];
      for (const column of ['type', 'size', 'id', 'firstEdge'] as const)
        expect(
          Buffer.compare(
            Buffer.from(before.nodes[column].buffer),
            Buffer.from(after.nodes[column].buffer),
          ),
        ).toBe(0);
      for (const column of ['to', 'type'] as const)
        expect(
          Buffer.compare(
            Buffer.from(before.edges[column].buffer),
            Buffer.from(after.edges[column].buffer),
          ),
        ).toBe(0);
      // The same text stays the same, and another another: kinds and names partition the objects as before.
      for (const column of ['kind', 'name'] as const)
        expect(partition(after, column)).toEqual(partition(before, column));
      expect(await copyOf(path)).not.toMatch(PLANTED);
    }
  });

  it.each(['2', '5'])('snapshots of pickle protocol %s are rewritten', async (protocol) => {
    const folder = tempFolder();
    const file = join(folder, 'annabel.pickle');
    writeFileSync(join(folder, 'x.py'), SNAPSHOT);
    execFileSync(python(), [join(folder, 'x.py'), file, protocol]);
    const copy = await copyOf(file);
    expect(readFileSync(copy, 'latin1')).not.toMatch(PLANTED);
    expect(figuresOf(await reportOf(copy))).toEqual(figuresOf(await reportOf(file)));
    // Python itself reads it, with the same values but for texts.
    const check =
      'import pickle,sys; a,b=(pickle.load(open(f,"rb")) for f in sys.argv[1:]); print(len(a["segments"][0]["blocks"]), [e["size"] for e in a["device_traces"][0]]==[e["size"] for e in b["device_traces"][0]], a["segments"][0]["blocks"][0]["frames"][1]["name"])';
    expect(String(execFileSync(python(), ['-c', check, copy, file])).trim()).toBe(
      '40 True _call_impl',
    );
  });

  it('what is damaged is left out and said, never passed through', async () => {
    const folder = join(tempFolder(), 'damaged.hw');
    mkdirSync(join(folder, 'heap/1'), { recursive: true });
    mkdirSync(join(folder, 'heap/2'), { recursive: true });
    saveRecording(telling(), folder);
    const cut = (from: string, name: string, change: (bytes: Buffer) => Buffer) =>
      writeFileSync(join(folder, name), change(readFileSync(from)));
    cut(made.pickle, 'oom-7-0.pickle', (bytes) => bytes.subarray(0, -40));
    cut(made.python, 'heap/1/python.hwheap', (bytes) => {
      bytes[bytes.length >> 1]! ^= 1;
      return bytes;
    });
    cut(made.v8, 'heap/2/v8.heapsnapshot', (bytes) => bytes.subarray(0, -3));
    const out = join(tempFolder(), 'given.hwz');
    const ran = await highwater(['pack', folder, '--redact', '-o', out]);
    expect(ran.code).toBe(0);
    for (const name of ['oom-7-0.pickle', 'heap/1/python.hwheap', 'heap/2/v8.heapsnapshot'])
      expect(ran.stderr).toContain(`${name} left out, as it cannot be redacted: `);
    const names = packedFiles(out).list();
    expect(names.filter((name) => /pickle|heap/.test(name))).toEqual([]);
    expect(readFileSync(out, 'latin1')).not.toMatch(PLANTED);
    copyFileSync(join(folder, 'oom-7-0.pickle'), join(folder, 'alone.pickle'));
    const alone = await highwater([
      'report',
      join(folder, 'alone.pickle'),
      '--html',
      `${out}.html`,
      '--redact',
    ]);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('ends in the middle')]);
  });
});

function partition(
  graph: {
    nodes: { type: Uint16Array; kind: Uint32Array; name: Uint32Array; count: number };
    strings: { text(id: number): string };
  },
  column: 'kind' | 'name',
) {
  const first = new Map<string, number>();
  return Array.from({ length: graph.nodes.count }, (_, node) => {
    const text = `${graph.nodes.type[node]} ${graph.strings.text(graph.nodes[column][node]!)}`;
    if (!first.has(text)) first.set(text, first.size);
    return first.get(text);
  });
}

/** A run that tells a good deal of whoever made it. */
function telling() {
  const builder = new RecordingBuilder({
    id: 'quuxworth-1',
    name: 'train_zorblax',
    subject: 'command',
    argv: [
      'python',
      'zorblax.py',
      '--token',
      'hunter2',
      '--data',
      'quuxworth/x.csv',
      '--zorblax-mode',
      'fast',
    ],
    labels: { job: '17', node: 'dgx-acme-7', SLURM_JOB_NAME: 'annabel-zorblax' },
    warnings: ['no answer of zorblax in /home/annabel/quuxworth'],
    snapshots: [
      {
        file: 'oom-7-0.pickle',
        why: 'oom',
        ns: 9e8,
        pid: 7,
        rank: null,
        device: 0,
        asked: 1 << 30,
        free: 5,
        total: 1e9,
      },
    ],
    heaps: [
      { file: 'heap/1/python.hwheap', ns: 5e8, pid: 7, runtime: 'python', bytes: 10 },
      { file: 'heap/2/v8.heapsnapshot', ns: 6e8, pid: 7, runtime: 'v8', bytes: 10 },
    ],
  });
  builder.run.host.name = 'dgx-acme-7.cluster.example';
  const names = {
    argv: 'python /home/annabel/quuxworth/zorblax.py',
    name: 'zorblax_worker',
    role: 'main',
  };
  addRow(builder, 'processes', { pid: 7, start_time: 1, ppid: 1, ...names, first_seen: 0 });
  for (let i = 0; i < 20; i++) addRow(builder, 'process', { time: i * 1e8, pid: 7, rss: 1e6 * i });
  const mark = { time_from: TIME_FROM.agent, pid: 7 };
  addRow(builder, 'marks', { time: 0, ...mark, kind: 'start' });
  addRow(builder, 'marks', {
    time: 5e8,
    ...mark,
    kind: 'note',
    name: 'loading Zorblax for Annabel',
  });
  addRow(builder, 'layers', {
    time: 5e8,
    pid: 7,
    name: 'zorblax_head.weight',
    kind: 'weight',
    bytes: 4096,
  });
  addRow(builder, 'objects', {
    time: 5e8,
    pid: 7,
    kind: 'container',
    type: 'quuxworth.ZorblaxCache',
    of: 'torch.Tensor',
    holder: 'zorblax.cache',
    count: 5,
    grown: 5,
    watched: 3,
    bytes: 100,
  });
  return builder.build();
}
