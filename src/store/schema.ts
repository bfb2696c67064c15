/**
 * What leaves a recording into a store: tables of rows, one run or many. Parquet files, ClickHouse's tables and the
 * tables of docs/fleet.md are all made from this list. Columns are added, never renamed; a change raises `STORE_VERSION`.
 *
 * Every table begins with `run` and `started`, so that rows of one run are found, replaced, sharded and dropped by age
 * alike everywhere. Times are UTC, sizes whole bytes. Text is empty where nothing is known; figures are null.
 */
export const STORE_VERSION = 2;

/** `int`: 64 bits; `time`: microseconds since 1970, UTC. */
export type StoreType = 'text' | 'int' | 'float' | 'time' | 'bool';

export interface StoreColumn {
  readonly name: string;
  readonly type: StoreType;
  readonly meaning: string;
}

export interface StoreTable {
  readonly name: StoreTableName;
  readonly meaning: string;
  /** What tells the rows of a run apart, after `run`; never null. */
  readonly key: readonly string[];
  readonly columns: readonly StoreColumn[];
}

export const STORE_TABLE_NAMES = [
  'series',
  'peaks',
  'cards',
  'ranks',
  'labels',
  'marks',
  'layers',
  'peak_stacks',
  'peak_categories',
  'verdicts',
  'runs',
] as const;
export type StoreTableName = (typeof STORE_TABLE_NAMES)[number];

const column =
  (type: StoreType) =>
  (name: string, meaning: string): StoreColumn => ({ name, type, meaning });
const text = column('text');
const int = column('int');
const float = column('float');
const time = column('time');
const bool = column('bool');

const EVERYWHERE = [
  text('run', 'id of the run: the same however often, and from whichever copy, it is stored'),
  time('started', 'when the recording started'),
];

const table = (
  name: StoreTableName,
  meaning: string,
  key: readonly string[],
  columns: readonly StoreColumn[],
): StoreTable => ({ name, meaning, key, columns: [...EVERYWHERE, ...columns] });

const TABLES: Readonly<Record<StoreTableName, StoreTable>> = {
  runs: table(
    'runs',
    'one row a run, written last: a run is whole in a store when its row is here',
    [],
    [
      text('name', "the recording's name"),
      text('command', 'command line, secrets replaced by ***'),
      text('subject', 'command, pid, host or import'),
      text('host', 'name of the machine'),
      int('host_memory_bytes', "the machine's memory"),
      int('cpus', "the machine's processors"),
      time('workload_started', 'when the command itself started'),
      time('ended', 'end of the recording; null: it was cut off, or goes on'),
      float('seconds', 'how long the workload ran'),
      text('ending', 'well, failed, killed, ended, cut-off, watched, imported'),
      int('exit_code', 'null where a signal ended it, or the end was not seen'),
      text('exit_signal', 'SIGKILL …'),
      bool('oom_killed', 'killed by the kernel for memory; null: cannot be known'),
      text('job', "the launcher's or scheduler's id of the job"),
      int('rank', 'where one rank was recorded'),
      int('world_size', 'ranks of the job'),
      int('restart', 'attempt of an elastic job, from 0'),
      text('launcher', 'torchrun, slurm, mpi …'),
      text('git_commit', 'of the working copy that it ran in'),
      int('peak_bytes', "the report's headline: the most that was held"),
      text('peak_series', 'the series it is of'),
      text('peak_measure', 'kernel, proportional, upper-bound, machine, card, allocator'),
      int('host_peak_bytes', 'the most in use on the machine, by anybody'),
      int('tree_peak_bytes', 'the most of the process tree (proportional, else resident)'),
      int(
        'cgroup_peak_bytes',
        "of its control group, page cache included; the kernel's exact peak where it had one of its own",
      ),
      int('card_peak_bytes', 'the most on one card; of the run alone where others were on it too'),
      int('card_memory_bytes', 'memory of that card'),
      int('cards', 'GPUs that the workload used'),
      int(
        'asked_bytes',
        'host memory that was asked for: of the scheduler, else the limit it ran under',
      ),
      text('asked_of', 'slurm, control group; empty: nothing was asked for that is known'),
      int('recorder_bytes', "the recorder's own anonymous memory, at its most: part of the host's"),
      int(
        'agent_bytes',
        'what our agent held in the processes, at its most: off all sizes of them',
      ),
      int('samples', 'samples of the tree, or of the host'),
      bool('complete', 'recorded to its end, and all of it could be read'),
      text('frameworks', 'that took the steps, separated by commas'),
      text('recorder', 'version of Highwater that recorded it'),
      int('store_version', 'version of these tables'),
    ],
  ),
  series: table(
    'series',
    'every sample of every series, at the rate it was recorded',
    ['series', 'time'],
    [
      text('series', 'host.used, tree.pss, cgroup.current, gpu0.used, torch0.allocated …'),
      time('time', 'when it was read'),
      int('bytes', 'the value'),
    ],
  ),
  peaks: table(
    'peaks',
    'each series: its peak and its ends',
    ['series'],
    [
      text('series', 'as in series; torch0.peak: the counter that torch keeps itself'),
      int('peak_bytes', 'the most'),
      time('peak_time', 'when that was first reached'),
      int('first_bytes', 'the first sample'),
      int('last_bytes', 'the last sample'),
      int('samples', 'how many; null: a counter, not a series'),
    ],
  ),
  cards: table(
    'cards',
    'each GPU that was measured',
    ['gpu'],
    [
      int('gpu', "the driver's index"),
      text('uuid', 'as dcgm and nvidia-smi have it'),
      text('name', 'its model'),
      int('memory_bytes', 'its size'),
      bool('used_by_run', 'the recorded processes used it'),
      int('peak_bytes', 'of the whole card'),
      time('peak_time', 'when'),
      int('run_peak_bytes', "the most of the run's own processes, where the driver tells"),
    ],
  ),
  ranks: table(
    'ranks',
    'each rank that is in the recording, its workers included',
    ['rank'],
    [
      int('rank', 'of the job'),
      text('job', 'as in runs'),
      text('host', 'name of the machine'),
      int('peak_bytes', 'the most at one sample'),
      time('peak_time', 'when'),
      int('torch_bytes', 'the most that torch had handed out, over its devices'),
    ],
  ),
  labels: table(
    'labels',
    'everything that was noted of where and how it ran',
    ['key'],
    [text('key', 'rank, job, launcher …'), text('value', 'as noted, secrets replaced by ***')],
  ),
  marks: table(
    'marks',
    'named moments: steps, epochs, phases, notes, out-of-memory messages',
    ['number'],
    [
      int('number', 'their order, from 0'),
      time('time', 'when'),
      text('kind', 'start, end, iteration, step, epoch, phase, note, cell, oom, count, request'),
      text('name', 'what to show, secrets replaced by ***'),
      int('pid', 'process it belongs to'),
      int('rank', 'distributed rank'),
      int('epoch', 'epoch'),
      int('iteration', 'iteration'),
      float('value', 'loss or another figure that came with it'),
    ],
  ),
  layers: table(
    'layers',
    "a model's parts at the iteration that held most",
    ['pid', 'name', 'kind'],
    [
      int('pid', 'process that has the model'),
      text('name', 'layer or parameter'),
      text('kind', 'weight, gradient, feature_map …'),
      int('rank', 'distributed rank'),
      int('bytes', 'live bytes'),
      time('time', 'of that iteration'),
      int('epoch', 'of that iteration'),
      int('iteration', 'of that iteration'),
    ],
  ),
  peak_stacks: table(
    'peak_stacks',
    "who made what was live at the peak of an allocation trace; a device's rows sum up to its peak",
    ['device', 'number'],
    [
      text('device', 'ordinal; host: pinned memory; cpu'),
      int('number', 'by size, from 0'),
      text('place', 'the line worth reading; empty: all smaller ones together'),
      text('category', 'what most of its bytes are; empty as place'),
      int('bytes', 'live at the peak, as requested'),
      int('allocations', 'how many'),
      text('frames', 'Python frames, innermost first, separated by ;'),
    ],
  ),
  peak_categories: table(
    'peak_categories',
    "what was live at the peak of an allocation trace; a device's rows sum up to its peak",
    ['device', 'category'],
    [
      text('device', 'ordinal; host: pinned memory; cpu'),
      text('category', 'parameters, gradients, optimizer state, activations …'),
      int('bytes', 'live at the peak, as requested'),
      int('allocations', 'how many'),
      float('confidence', '0 to 1'),
    ],
  ),
  verdicts: table(
    'verdicts',
    'what the report says: one row a run',
    [],
    [
      text('cause', 'too-large, fragmentation, leak …: docs/json-outputs.md'),
      text('certainty', 'certain, likely, possible, unknown'),
      text('sentence', 'the first line of the report'),
      text('leak', 'leak, bounded, inconclusive'),
      text('leak_kind', 'what kind of leak; empty: none'),
      text('leak_series', 'the series that grows'),
      text('leak_name', 'what grows'),
      text('leak_where', 'where that is in the program'),
      float('leak_bytes_per_hour', 'null: it does not leak, or that was not measured over time'),
      float('leak_bytes_per_iteration', 'null: it does not leak, or no iterations were seen'),
      float('at_most_bytes_per_hour', 'whatever the verdict, it leaks no faster'),
      float('at_most_bytes_per_iteration', 'whatever the verdict, it leaks no faster'),
      float('full_in_seconds', 'memory is full then, at this rate'),
      bool('out_of_memory', 'the kernel, an allocator or the program itself says so'),
      text('oom_place', 'gpu, host …: where, by the first message'),
      int('oom_asked_bytes', 'what could not be had'),
      int('oom_free_bytes', 'what was free then'),
    ],
  ),
};

/** In the order in which they are written: the row that says that a run is whole comes last. */
export const STORE_TABLES: readonly StoreTable[] = STORE_TABLE_NAMES.map((name) => TABLES[name]);

export const storeTable = (name: StoreTableName): StoreTable => TABLES[name];

/** Text always has a value, and so has what rows are found by. */
export const isNullable = ({ key }: StoreTable, { name, type }: StoreColumn): boolean =>
  type !== 'text' && name !== 'started' && !key.includes(name);
