import { isPublicFile, Redactor, usersIn } from '../base/redaction/index.ts';
import { hideSecrets, redactArgv, withoutSecrets } from '../base/secrets/index.ts';
import { makeRecording, type Recording } from './recording.ts';
import type { RunInfo } from './run.ts';
import { TABLES } from './schema.ts';
import { Table } from './table.ts';

const NOTE =
  'paths, names and texts were taken out of this recording; what stands for them ends in a number';

/** What agents of ours count: `torch0.allocated`; anything else is somebody's. */
const COUNTER =
  /^(torch|tf|keras|jax|xla|mlx|v8|node|malloc|python|layers|limit|history)\d*\.[a-z0-9_.]+$/;
/** How a column's texts are looked at; what is not named here is somebody's own words. */
const COLUMNS: Readonly<Record<string, (redactor: Redactor, text: string) => string>> = {
  'counters.name': (redactor, text) => (COUNTER.test(text) ? text : redactor.own(text)),
  'processes.argv': (redactor, text) => redactor.command(text),
  'frames.file': (redactor, text) => redactor.path(text),
  'frames.function': (redactor, text) => redactor.functionName(text),
  'objects.type': (redactor, text) => redactor.typeName(text),
  'objects.of': (redactor, text) => redactor.typeName(text),
  'tensors.what': (redactor, text) => redactor.functionName(text),
};

/** What a recording tells a redactor. */
export interface ToldNames {
  /** People, by their home folders. */
  readonly users: readonly string[];
  readonly hosts: readonly string[];
  /** Functions of public packages. */
  readonly functions: readonly string[];
}

export function namesIn(recording: Recording): ToldNames {
  const { run } = recording;
  const texts = [...recording.table('strings').utf8('value'), JSON.stringify(run)];
  return {
    users: [...new Set(texts.flatMap(usersIn))],
    hosts: hostsOf(run).flatMap(withShort),
    functions: publicFunctions(recording),
  };
}

function publicFunctions(recording: Recording): string[] {
  const frames = recording.table('frames');
  const [names, files] = [frames.u32('function'), frames.u32('file')];
  const isPublic = new Map<number, boolean>();
  const found = new Set<number>();
  for (let row = 0; row < frames.rows; row++) {
    const file = files[row]!;
    if (!isPublic.has(file)) isPublic.set(file, isPublicFile(recording.text(file)));
    if (isPublic.get(file)) found.add(names[row]!);
  }
  return Array.from(found, (id) => recording.text(id));
}

/** A redactor that knows all that was told. */
export const redactorOf = (told: readonly Partial<ToldNames>[]): Redactor =>
  new Redactor(
    told.flatMap(({ users = [] }) => users),
    told.flatMap(({ hosts = [] }) => hosts.flatMap(withShort)),
    told.flatMap(({ functions = [] }) => functions),
  );

/** A recording to give away: figures are as they were, of names and texts nothing tells of anybody. */
export function redactRecording(
  recording: Recording,
  redactor: Redactor = redactorOf([namesIn(recording)]),
): Recording {
  const strings = recording.table('strings');
  const values = strings.utf8('value');
  const ids = strings.u32('id');
  const ways = waysOf(recording);
  const texts = values.map((value, row) => {
    const plain = withoutSecrets(value);
    const way = ways.get(ids[row]!);
    return way ? way(redactor, plain) : redactor.own(plain);
  });
  const table = new Table(TABLES.strings, [{ rows: strings.rows, columns: [ids, texts] }]);
  return makeRecording(
    redactRun(recording.run, redactor),
    recording.tables,
    (name) => (name === 'strings' ? table : recording.table(name)),
    recording.damage,
  );
}

/** By the id of a text, how it is looked at: by the first of these columns that has it. */
function waysOf(recording: Recording): Map<number, (redactor: Redactor, text: string) => string> {
  const ways = new Map<number, (redactor: Redactor, text: string) => string>();
  for (const [place, way] of Object.entries(COLUMNS)) {
    const [table, column] = place.split('.') as [keyof typeof TABLES, string];
    for (const id of new Set(recording.table(table).u32(column)))
      if (!ways.has(id)) ways.set(id, way);
  }
  return ways;
}

function hostsOf({ host, labels }: RunInfo): string[] {
  const named = Object.entries(labels).filter(([key]) => /host|node/i.test(key));
  return [host.name, ...named.map(([, value]) => value)];
}

/** `gpu7.cluster.example` is also called gpu7, and belongs to cluster.example. A label may be a number. */
const withShort = (host: string) => {
  const [short, ...domain] = host.split('.');
  const others = domain.length > 1 ? [domain.join('.')] : [];
  return [host, short!, ...others].filter((name) => !/^\d*$/.test(name));
};

function redactRun(run: RunInfo, redactor: Redactor): RunInfo {
  const own = (text: string) => redactor.own(withoutSecrets(text));
  const argv = redactArgv(run.argv).map((word) => redactor.word(word));
  const labels = Object.fromEntries(
    Object.entries(hideSecrets(run.labels)).map(([key, value]) => [own(key), own(String(value))]),
  );
  const [id, name] = [own(run.id), own(run.name)];
  const digits = String(run.gpus.length).length;
  const cards = run.gpus.map((_, i) => `GPU-${String(i + 1).padStart(digits, '0')}`);
  const left = run.leftInShm?.map((one) => ({ ...one, pattern: own(one.pattern) }));
  const allocator = run.allocator && {
    ...run.allocator,
    settings: mapTexts(run.allocator.settings, own) as typeof run.allocator.settings,
  };
  // Sentences of ours come last: by now it is known which words are not to be given away.
  const plain = mapTexts(hideSecrets(run), (text) => redactor.text(text)) as RunInfo;
  // Whatever a program prints may be in it.
  const { lastOutput: _, ...told } = plain;
  return {
    ...told,
    id,
    name,
    subject: run.subject,
    host: { ...plain.host, name: redactor.host(run.host.name) },
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    argv,
    labels,
    allocator,
    gpus: plain.gpus.map((gpu, i) => ({ ...gpu, uuid: cards[i]! })),
    ...(plain.gpu && { gpu: { ...plain.gpu, visible: visible(run, cards, own) } }),
    ...(left && { leftInShm: left }),
    ...(run.frameworks && { frameworks: run.frameworks }),
    // Whose message it is, what ran out and who asked are words of ours.
    ...(run.outOfMemory && {
      outOfMemory: run.outOfMemory.map(({ source, place, frameworks }, i) => ({
        ...plain.outOfMemory![i]!,
        source,
        place,
        ...(frameworks && { frameworks }),
      })),
    }),
    // Their names have no text of anybody.
    ...(run.snapshots && { snapshots: run.snapshots }),
    ...(run.heaps && { heaps: run.heaps }),
    warnings: [...new Set([...plain.warnings, NOTE])],
  };
}

/** Which cards the workload was to see: by number, or by the beginning of an identity. */
function visible(
  { gpu, gpus }: RunInfo,
  cards: readonly string[],
  own: (text: string) => string,
): string | null {
  if (!gpu || gpu.visible === null) return null;
  const renamed = (word: string) => {
    const at = word === '' ? -1 : gpus.findIndex(({ uuid }) => uuid.startsWith(word));
    return at < 0 ? own(word) : cards[at]!;
  };
  return gpu.visible
    .split(',')
    .map((word) => renamed(word.trim()))
    .join(',');
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, mapTexts(one, change)]);
  return Object.fromEntries(entries);
}
