import type { KindEvidence } from '../../analyses/leak/kind/evidence.ts';
import type { LeakKind } from '../../analyses/leak/kind/rule.ts';
import type { Report } from '../../analyses/report.ts';
import { formatDelta, KiB } from '../../base/bytes.ts';
import { count, printable } from '../../base/text.ts';
import type { Fact } from './section.ts';

const WORDS: Readonly<Record<LeakKind, string>> = {
  tensors: 'tensors that are kept',
  cache: 'a cache: tensors that became more as it served',
  'python-objects': 'Python objects',
  'js-objects': 'JavaScript objects',
  'js-buffers': 'buffers of JavaScript',
  native: 'native memory, of a C extension or a library',
  allocator: 'memory that an allocator keeps free (retention, fragmentation)',
  'copy-on-write': 'copy-on-write: forked processes unshare pages',
  'shared-memory': 'shared memory (/dev/shm)',
  pinned: 'pinned pages: host memory that is locked for copies to a card',
  threads: 'threads that do not end',
  'open-files': 'files or sockets that are not closed',
  'surviving-process': 'a process that lives on',
  'more-processes': 'more and more processes',
  unknown: 'unknown: the figures do not decide',
};

/** What a series is, for somebody who has not seen its name. */
const NAMES: Readonly<Record<string, string>> = {
  pss: 'proportional size',
  rss: 'resident size',
  anon: 'private memory',
  file: 'pages of mapped files',
  shmem: 'shared memory that is mapped',
  'shm.used': '/dev/shm in use',
  'pinned.allocated': 'pinned, handed out by torch',
  'pinned.reserved': 'pinned by torch in all',
  'malloc.in_use': 'handed out by malloc',
  'malloc.free': 'kept free by malloc',
  'v8.held_heap': "objects that V8's collections left",
  'v8.held_external': 'buffers and the like that they left',
  'python.blocks': "Python's memory blocks",
  'os.threads': 'threads',
  'os.files': 'open files and sockets',
  'tensors.bytes': 'tensors on the host',
  'tensors.with_graph': 'tensors that keep a graph',
  Shmem: 'shared memory',
  AnonPages: 'memory of processes',
  kernel: "the kernel's own",
};

/** The kind in a few words; empty where nothing leaks. */
export function kindWords({ leak }: Pick<Report, 'leak'>): string {
  if (leak.kind === null) return '';
  const first = leak.evidence.find(isThing);
  return printable(first ? `${WORDS[leak.kind]}: ${described(first)}` : WORDS[leak.kind]);
}

/** Rows of the report: the kind, the figures, what to do. */
export function kindFacts({ leak }: Pick<Report, 'leak'>): Fact[] {
  if (leak.kind === null) return [];
  const [named, measured] = [true, false].map((is) =>
    leak.evidence.filter((one) => isThing(one) === is),
  );
  const rows: Fact[] = [['kind', kindWords({ leak })]];
  for (const one of named!.slice(1)) rows.push(['and', described(one)]);
  for (const one of measured!.filter((figure) => isTold(figure, leak.kind!))) {
    rows.push([one.name, `${rate(one)}  ${NAMES[one.name] ?? ''}`]);
  }
  if (leak.kind === 'unknown') rows.push(...flatFacts(measured!));
  for (const [i, text] of leak.advice.entries()) rows.push([i === 0 ? 'what to do' : 'or', text]);
  return rows.map(([name, text]) => [name, printable(text.trim())]);
}

/** Below this share of what grows most, nothing grows. */
const FLAT = 0.02;

/** Where no kind is shown, what was looked at and found not to grow. */
function flatFacts(measured: readonly KindEvidence[]): Fact[] {
  const parts = measured.filter(
    ({ name, unit }) => unit === 'bytes' && name !== 'pss' && name !== 'rss',
  );
  const most = Math.max(...parts.map(({ amount }) => amount));
  const flat = parts.filter(({ amount }) => amount < FLAT * most);
  return flat.length > 0
    ? [['does not grow', flat.map(({ name }) => NAMES[name] ?? name).join(', ')]]
    : [];
}

/** Tensors, objects, files and layers; not a series. */
const isThing = ({ name, count }: KindEvidence): boolean =>
  count !== null || !(name in NAMES || /^torch\d+\./.test(name));

/** Both sizes tell of copies only; the rest of them is the trend's. What could grow and does not is told too. */
function isTold({ name, amount }: KindEvidence, kind: LeakKind): boolean {
  if (name === 'pss' || name === 'rss') return kind === 'copy-on-write';
  // That /dev/shm stands still tells pinned pages from its files.
  if (name === 'shm.used' && kind === 'pinned') return true;
  if (name === 'file' || name.startsWith('sh')) return Math.abs(amount) >= KiB;
  if (name.startsWith('os.')) return amount > 0;
  return true;
}

/** `120 tensors [] float32 made by MeanBackward0, held by list of 120 in losses of __main__ (+1/iteration)`. */
function described(one: KindEvidence): string {
  const made = one.madeBy ? ` made by ${one.madeBy}` : '';
  const held = one.holder ? `, held by ${one.holder}` : '';
  if (one.per === 'run') {
    const what = one.count === null ? (one.madeBy ?? '') : count(one.count, 'file');
    return `${[one.name, what].filter(Boolean).join(', ')} (${rate(one)})`;
  }
  const entries = one.count === null ? '' : `, ${one.count} entries`;
  const many = one.unit === 'count' ? `${one.count} ${one.name}` : `${one.name}${entries}`;
  return `${many}${made}${held} (${rate(one)})`;
}

function rate({ unit, amount, per }: KindEvidence): string {
  const value = unit === 'bytes' ? formatDelta(amount) : signed(amount);
  return per === 'run' ? value : `${value}/${per === 'second' ? 's' : per}`;
}

function signed(amount: number): string {
  const size = Math.abs(amount);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return `${amount < 0 ? '−' : '+'}${Number(size.toFixed(digits))}`;
}
