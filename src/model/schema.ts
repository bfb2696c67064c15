/**
 * The tables of a recording: names, columns, units, meaning. docs/recording-format.md is generated
 * from the same words. Any change to a table bumps `SCHEMA_VERSION` and adds an upgrader; a table that is new does not, as files
 * of before merely lack it.
 *
 * Two rules keep the code small: null exists only in Float64 columns, where it is NaN in memory
 * and an Arrow null on disk (null = not measured, 0 = measured as zero); and text is a u32 id into
 * the `strings` table everywhere but there.
 */
export const SCHEMA_VERSION = 4;

export type ColumnType = 'f64' | 'u32' | 'u8' | 'u64' | 'utf8';
/** `ns` counts from the recording's start on CLOCK_MONOTONIC; `unix-ns` is wall time. */
/** `ns` is a moment on the recording's clock, `cpu-ns` an amount of processor time. */
export type Unit = 'ns' | 'unix-ns' | 'cpu-ns' | 'bytes' | 'count' | 'string' | 'ticks' | '';

export interface ColumnSpec {
  readonly name: string;
  readonly type: ColumnType;
  readonly unit: Unit;
  readonly meaning: string;
  /** The version that brought it to a table that there was already: files of earlier ones lack it. */
  readonly since?: number;
}

export interface TableSpec {
  readonly name: string;
  readonly meaning: string;
  readonly columns: readonly ColumnSpec[];
}

const f64 = (name: string, unit: Unit, meaning: string): ColumnSpec => ({
  name,
  type: 'f64',
  unit,
  meaning,
});
const u32 = (name: string, unit: Unit, meaning: string): ColumnSpec => ({
  name,
  type: 'u32',
  unit,
  meaning,
});
const u8 = (name: string, meaning: string): ColumnSpec => ({ name, type: 'u8', unit: '', meaning });
const u64 = (name: string, unit: Unit, meaning: string): ColumnSpec => ({
  name,
  type: 'u64',
  unit,
  meaning,
});
const text = (name: string, meaning: string): ColumnSpec => u32(name, 'string', meaning);
const since = (version: number, column: ColumnSpec): ColumnSpec => ({ ...column, since: version });
const time = f64('time', 'ns', 'when the value was read');
const table = (name: string, meaning: string, columns: readonly ColumnSpec[]): TableSpec => ({
  name,
  meaning,
  columns,
});

/** Columns of `host` that are not fields of /proc/meminfo. */
const HOST_OWN: readonly ColumnSpec[] = [
  f64('used', 'bytes', 'memory in use as an imported source defined it; null in live recordings'),
  f64('recorder_anon', 'bytes', "the recorder's own anonymous memory, part of the host's"),
  since(
    4,
    f64('stolen', 'cpu-ns', 'processor time given to other guests since boot; read now and then'),
  ),
];

/** /proc/meminfo differs from kernel to kernel, so the recording has the columns its kernel had. */
export function hostTable(meminfoFields: readonly string[]): TableSpec {
  const own = new Set(['time', ...HOST_OWN.map((c) => c.name)]);
  const fields = [...new Set(meminfoFields)].filter((name) => !own.has(name));
  return table('host', "the whole machine's memory, a row each sample", [
    time,
    ...fields.map((name) =>
      name.startsWith('HugePages_')
        ? f64(name, 'count', `/proc/meminfo ${name} (pages, not bytes)`)
        : f64(name, 'bytes', `/proc/meminfo ${name}`),
    ),
    ...HOST_OWN,
  ]);
}

export const TABLES = {
  strings: table('strings', 'every text once; other tables hold its id', [
    u32('id', '', 'ids count from 0 and are never reused'),
    { name: 'value', type: 'utf8', unit: '', meaning: 'the text' },
  ]),
  clock: table('clock', 'a row each flush, so that a jump of the wall clock is seen', [
    f64('monotonic', 'ns', 'CLOCK_MONOTONIC since the start of the recording'),
    f64('wall', 'unix-ns', 'wall time at the same moment'),
  ]),
  processes: table('processes', 'who was there; the last row of a (pid, start_time) is the truth', [
    u32('pid', '', 'process id'),
    f64('start_time', 'ticks', 'field 22 of /proc/PID/stat: tells two owners of one pid apart'),
    u32('ppid', '', 'parent when first seen'),
    text('argv', 'command line as typed, secrets redacted'),
    text('name', 'comm'),
    text('role', 'main, worker 1 … : a series of a role goes on across pids'),
    f64('rank', '', 'distributed rank, where known'),
    f64('first_seen', 'ns', 'first sample that saw it'),
    f64('last_seen', 'ns', 'last sample that saw it; null while it lives'),
  ]),
  process: table('process', 'a row each sample and living process', [
    time,
    u32('pid', '', 'process id'),
    f64('rss', 'bytes', 'resident set, shared pages counted in full'),
    f64('anon', 'bytes', 'RssAnon'),
    f64('file', 'bytes', 'RssFile'),
    f64('shmem', 'bytes', 'RssShmem'),
    f64('swap', 'bytes', 'VmSwap'),
    f64('hwm', 'bytes', "VmHWM: the kernel's exact peak, since exec or the last reset"),
    f64('pss', 'bytes', 'proportional set: shared pages divided among their users'),
    u8('pss_estimated', '1 where pss is rss times the last measured ratio'),
    since(
      4,
      f64('cpu', 'cpu-ns', 'processor time used so far, user and system; read now and then'),
    ),
  ]),
  mapped: table(
    'mapped',
    'what a process had in memory by kind of mapping, read when it was higher than before',
    [
      time,
      u32('pid', '', 'process id'),
      f64('rss', 'bytes', 'resident set at that moment, of which all rows of it are the parts'),
      text(
        'kind',
        'code, files, heap, blocks, smallBlocks, stacks, shared, devices: docs/sizes.md',
      ),
      text('name', 'the file, of large ones; empty: all others of the kind'),
      f64('bytes', 'bytes', 'resident'),
    ],
  ),
  intake: table(
    'intake',
    'what each larger process had read, and asked for, and how busy it was; read each second',
    [
      time,
      u32('pid', '', 'process id'),
      f64('read', 'bytes', 'through read() so far: files, pipes, sockets (rchar)'),
      f64('asked', 'bytes', 'private memory that it may write to, touched or not (VmData)'),
      f64('busy', 'cpu-ns', 'its busiest thread ran, or was ready to and got no processor, so far'),
    ],
  ),
  malloc: table(
    'malloc',
    "what glibc's malloc had in a process whose agent does not tell it, read from outside now and then",
    [
      time,
      u32('pid', '', 'process id'),
      f64('held', 'bytes', 'RssAnon, RssShmem and VmSwap of the process at that moment'),
      f64('in_use', 'bytes', 'handed out, as mallinfo2 counts it: uordblks and hblkhd'),
      f64('free', 'bytes', 'not handed out: fordblks'),
      f64(
        'free_held',
        'bytes',
        'of that, in memory or swapped out; the rest is given back, or untouched',
      ),
    ],
  ),
  own_memory: table(
    'own_memory',
    "Highwater's own memory among the workload's: in no other table",
    [
      time,
      u32('pid', '', 'process id'),
      u8(
        'inside',
        '0 a process of ours, a row each sample; 1 within this process of the workload, a row when it changed',
      ),
      f64('rss', 'bytes', 'resident set; of a fork mostly pages that it shares with the program'),
      f64('private', 'bytes', 'what only it has, measured now and then'),
    ],
  ),
  gpu: table('gpu', 'a row each sample and GPU', [
    time,
    u32('gpu', '', "the driver's index, an index into run.json's gpus"),
    f64('used', 'bytes', 'as nvidia-smi shows it: without what the driver reserves'),
    f64('reserved', 'bytes', 'kept by the driver'),
    f64('free', 'bytes', 'free'),
    f64('total', 'bytes', 'total'),
  ]),
  gpu_process: table('gpu_process', 'a row each sample, GPU and process that holds memory on it', [
    time,
    u32('gpu', '', "the driver's index"),
    u32(
      'pid',
      '',
      "the driver's process id; 0: nobody was on the card, or (used null) no list of it",
    ),
    f64('used', 'bytes', 'device memory of that process; null: the driver does not tell'),
  ]),
  cgroup: table('cgroup', "the workload's control group, a row each sample", [
    time,
    f64('current', 'bytes', 'charged now, page cache included'),
    f64('peak', 'bytes', "the kernel's exact peak of current"),
    f64('swap', 'bytes', 'swapped out'),
    f64('file', 'bytes', 'page cache within current'),
    f64('oom_kills', 'count', 'processes the kernel killed for memory in this group'),
    since(4, f64('anon', 'bytes', 'anonymous memory, each page once; read now and then')),
    since(4, f64('shmem', 'bytes', 'shared memory, part of file; read now and then')),
  ]),
  device_group: table(
    'device_group',
    "device memory of the workload's control group (dmem), a row each sample and region",
    [
      time,
      text('region', 'the card and which memory of it, as the kernel names it: 0000:03:00.0/vram0'),
      f64('current', 'bytes', 'charged now'),
      f64('peak', 'bytes', "the kernel's exact peak of current, where it keeps one"),
    ],
  ),
  marks: table('marks', 'named moments', [
    time,
    u8('time_from', '0 the line says it, 1 arrival of the line, 2 an agent or the recorder'),
    f64('pid', '', 'process it belongs to'),
    f64('rank', '', 'distributed rank'),
    text(
      'kind',
      'start, end, iteration, step, epoch, phase, note, cell, oom; count: a line that counts, nobody knows what; request: one that a log names',
    ),
    text('name', 'what to show'),
    f64('epoch', '', 'epoch number'),
    f64('iteration', '', 'iteration number'),
    f64('value', '', 'loss or another figure that came with it'),
  ]),
  allocations: table('allocations', 'allocation events, device by device, each in its own order', [
    f64('time', 'ns', 'when it happened; null where the source has no times'),
    u32('device', '', 'device ordinal; 4294967295: pinned memory of the host'),
    u32('pool', '', 'row in pools; 4294967295: not known'),
    u8(
      'action',
      '0 alloc, 1 free_requested, 2 free_completed, 3 segment_alloc, 4 segment_free, ' +
        '5 segment_map, 6 segment_unmap, 7 snapshot, 8 oom, 9 annotate, 10 another',
    ),
    u64('address', 'bytes', 'address, all 64 bits; of an oom what the device had free'),
    f64('size', 'bytes', 'size requested'),
    u32('stack', '', 'row in stacks; 4294967295: not recorded, 4294967294: no frames'),
    u32('tag', '', 'row in tags; 4294967295: none'),
  ]),
  pools: table('pools', 'where allocations come from: a stream, and a private pool where named', [
    u64('stream', '', 'stream handle'),
    f64('owner', '', 'first half of the pool id; null: not recorded'),
    f64('number', '', 'second half of the pool id'),
  ]),
  segments: table('segments', 'what an allocator held when its events end', [
    u32('device', '', 'device ordinal, as in allocations'),
    u64('address', 'bytes', 'where it begins'),
    f64('size', 'bytes', 'bytes taken from the device'),
    u32('pool', '', 'row in pools'),
    u8('kind', '0 not known, 1 small, 2 large'),
    u8('expandable', '1: grows and shrinks by pages'),
    u32('stack', '', 'row in stacks, as in allocations'),
  ]),
  blocks: table('blocks', 'the parts of those segments, in use or not', [
    u32('segment', '', 'row in segments'),
    u64('address', 'bytes', 'where it begins'),
    f64('size', 'bytes', 'bytes set aside, rounded up by the allocator'),
    f64('requested', 'bytes', 'bytes asked for; means nothing while inactive'),
    u8('state', '0 inactive, 1 allocated, 2 free asked for and pending'),
    u32('stack', '', 'row in stacks, as in allocations'),
    u8(
      'owner',
      'what the program held it for: 0 not told, 1 nothing, 2 something else, 3 parameter, ' +
        '4 gradient, 5 optimizer state, 6 activation',
    ),
  ]),
  stacks: table('stacks', 'call stacks as a tree', [
    u32('parent', '', "caller's row; a root names itself"),
    u32('frame', '', 'row in frames'),
  ]),
  frames: table('frames', 'code places', [
    text('function', 'function'),
    text('file', 'file'),
    u32('line', '', 'line, 0 when unknown'),
  ]),
  live_stacks: table('live_stacks', 'what was in use by call stack, of an imported heap profile', [
    text('device', 'whose memory, as the profile names it; empty: it does not tell'),
    text('kind', 'what it is, as the profile names it; empty: it does not tell'),
    u32('stack', '', 'row in stacks; 4294967295: no frames'),
    f64('objects', 'count', 'objects in use; null: not told'),
    f64(
      'bytes',
      'bytes',
      'bytes in use: at the peak, where left_bytes is told; else when the profile was taken',
    ),
    f64('allocated_objects', 'count', 'objects allocated until then; null: not told'),
    f64('allocated_bytes', 'bytes', 'bytes allocated until then; null: not told'),
    f64('left_objects', 'count', 'of a profile of a whole run: objects in use at its end'),
    f64('left_bytes', 'bytes', 'of a profile of a whole run: bytes in use at its end'),
  ]),
  tags: table('tags', 'labels of allocations', [text('tag', 'the label')]),
  layers: table('layers', "bytes of a model's named parts; a row only when the value changed", [
    time,
    u32('pid', '', 'process id'),
    f64('rank', '', 'distributed rank'),
    f64('epoch', '', 'epoch'),
    f64('iteration', '', 'iteration'),
    text('name', 'layer or parameter'),
    text(
      'kind',
      'weight, gradient, feature_map …: docs/agent-protocol.md; iteration: nothing changed',
    ),
    f64('bytes', 'bytes', 'live bytes'),
  ]),
  counters: table('counters', 'what processes read off themselves, now and then', [
    time,
    u32('pid', '', 'process id'),
    f64('rank', '', 'distributed rank'),
    text('name', 'torch0.allocated, malloc.in_use, python.blocks … (docs/agent-protocol.md)'),
    f64('value', '', 'bytes, or a count'),
  ]),
  tensors: table('tensors', 'tensors that lived in a process when it looked, the largest groups', [
    time,
    u32('pid', '', 'process id'),
    f64('rank', '', 'distributed rank'),
    text('shape', 'of each of them: [64, 256]'),
    text('dtype', 'float32 …'),
    text('device', 'cpu, cuda:0 …'),
    text(
      'what',
      'parameter, gradient, leaf, the operation that made it with its graph, or nothing',
    ),
    text('holder', 'what refers to one of them, where that was looked for'),
    f64('count', 'count', 'how many'),
    f64('bytes', 'bytes', 'together; memory that several share is counted once'),
  ]),
  objects: table('objects', "Python's objects that grew in a process when it looked", [
    time,
    u32('pid', '', 'process id'),
    f64('rank', '', 'distributed rank'),
    text(
      'kind',
      'container: one that has more in it; type: all objects of a type; graph: what autograd keeps for a tensor; cache: what keeps more and more tensors in a program without an optimizer',
    ),
    text('type', 'dict, list, package.Class …; of a graph the operation that made the tensor'),
    text(
      'of',
      'the usual type of what a container has in it; of a cache the device of its tensors',
    ),
    text('holder', 'what refers to a container, where that was looked for'),
    f64('count', 'count', 'entries of the container, objects of the type, or nodes of the graph'),
    f64('grown', 'count', 'by how many since it was first seen'),
    f64('watched', '', 'seconds since then'),
    f64(
      'bytes',
      'bytes',
      'of the container with what only it holds, estimated by a sample; of a cache its tensors',
    ),
  ]),
  held: table('held', 'who held the memory of a Python process when it was higher than before', [
    time,
    u32('pid', '', 'process id'),
    f64('rank', '', 'distributed rank'),
    text(
      'category',
      'parameter, gradient, optimizer state, buffer, with graph, tensor; array, text, container, object',
    ),
    text('what', 'the dtype of tensors, the type of others'),
    text('holder', 'the name it hangs on, where it has one'),
    f64('count', 'count', 'tensors, or objects, estimated by a sample where there are many'),
    f64('bytes', 'bytes', 'together, each object once'),
    f64('small', 'bytes', "of them in objects of up to 512 bytes, in arenas of Python's own"),
  ]),
  moments: table('moments', 'what ran in a Python process when it was higher than before', [
    time,
    u32('pid', '', 'process id'),
    f64('rank', '', 'distributed rank'),
    text('of', "host: the process itself; torch0: what torch's allocator had on its device 0"),
    text('place', 'file and line of the innermost function of the program itself'),
    text('function', 'its name'),
    text('pass', 'forward, backward, optimizer, batch, loading, saving, by functions of torch'),
    text('module', 'class of the innermost module of the program itself that ran'),
    f64('grad', '', '2 where gradients were kept, 1 where not, 0 where that is not known'),
  ]),
  planned: table('planned', 'what engines that serve models said of their memory, a row a figure', [
    time,
    text('engine', 'vllm, llama.cpp …: docs/serving.md'),
    text('version', 'as its log says it; empty: not said'),
    text('worker', 'who says it, as the line names it; empty: nobody'),
    f64('pid', '', 'process id, as the line says it'),
    u32('load', '', 'from 1: a model may be loaded again'),
    text('device', 'as the engine names it: CUDA0, CPU; empty: the card of its process'),
    text('what', 'weights, kv, activations …; passed-over: not read: docs/serving.md'),
    f64('value', '', 'bytes, or a count, or a share'),
    text('wording', 'the line, by a name of ours'),
    u32('line', '', 'from 1, in what the workload printed to that stream'),
  ]),
  serving: table('serving', 'how busy engines that serve models were, by their own word', [
    time,
    text('engine', 'vllm, sglang …: docs/serving.md'),
    text('worker', 'who says it, as the line names it; of /metrics the port'),
    text('source', 'log or metrics'),
    f64('kv_used', '', 'share of the KV pool in use, 0 to 1'),
    f64('running', 'count', 'requests'),
    f64('waiting', 'count', 'requests'),
    f64('preemptions', 'count', 'so far'),
  ]),
  passes: table('passes', 'what a process that takes no gradients ran, since it told last', [
    time,
    u32('pid', '', 'process id'),
    f64('rank', '', 'distributed rank'),
    text('what', 'forward: calls of an outermost module; generate; replay: of CUDA graphs'),
    text('module', 'class of the module'),
    text('shape', 'of the tensor it was given first; other shapes: of several'),
    f64('passes', 'count', 'how many'),
    f64('tokens', 'count', 'in all of them, where the shape tells; 0: it does not'),
    f64('spent', '', 'nanoseconds in all of them, as the program waited for them'),
    f64('longest', '', 'nanoseconds of the longest'),
    f64(
      'peak',
      'bytes',
      'the most that torch had handed out in one of them; 0: not above what it had been before',
    ),
    f64('before', 'bytes', 'what it had handed out when that one began'),
  ]),
} as const satisfies Record<string, TableSpec>;

export type TableName = keyof typeof TABLES | 'host';

/** The spec of a table by name; `host` needs the fields its kernel had. */
export function tableSpec(name: TableName, meminfoFields: readonly string[] = []): TableSpec {
  return name === 'host' ? hostTable(meminfoFields) : TABLES[name];
}

/**
 * Whether rows of a table are in the order of their times, all of which are known. Events of
 * allocators have an order of their own, several devices and, in some files, no times.
 */
export function inOrderOfTime(spec: TableSpec): boolean {
  return spec.columns[0]?.name === 'time' && spec.name !== TABLES.allocations.name;
}

/** Values of `marks.time_from`. */
export const TIME_FROM = { line: 0, arrival: 1, agent: 2 } as const;
