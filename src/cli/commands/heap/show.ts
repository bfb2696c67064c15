import { basename } from 'node:path';
import { heapAccount } from '../../../analyses/heap/account.ts';
import {
  FEWEST_HEAPS,
  growthOf,
  HEAP_SCHEMA,
  type Heap,
  type HeapOptions,
  type HeapTable,
  type Identities,
  identitiesOf,
  pageEnd,
  partitionOf,
  placesBetween,
  type Roll,
  rollOf,
  statDifference,
  statOf,
  tableOf,
  type Way,
} from '../../../analyses/heap/index.ts';
import {
  heapAnswersVerdict,
  heapDifferenceVerdict,
  heapGrowthVerdict,
  heapVerdict,
} from '../../../analyses/verdict/heap.ts';
import { UserError } from '../../../base/errors.ts';
import type { HeapStat } from '../../../model/heap/stat.ts';
import { heapFiles, type OpenedHeapFile, openHeap } from '../../../open/heaps.ts';
import {
  accountText,
  differenceText,
  growthText,
  partitionText,
  placesText,
} from '../../../views/heap/index.ts';
import { answerJson, type JsonFlags } from '../../output/json.ts';
import { ProgressLine } from '../../output/progress-line.ts';
import { show, tell } from '../../output/terminal.ts';
import { answerText } from './answer-text.ts';
import { prompt } from './prompt.ts';
import { HeapSession } from './session.ts';

export interface HeapFlags extends JsonFlags {
  by: Way;
  all?: true;
  retained?: true;
  light?: true;
  ask: string[];
  prompt: boolean;
  pid?: number;
  out?: string;
  force?: true;
  attach: boolean;
}

/** One heap is classified, two are compared, three and more show what grows. */
export async function showHeaps(named: readonly string[], flags: HeapFlags): Promise<void> {
  const files = heapFiles(named);
  if (flags.pid !== undefined) {
    const { takeHeap } = await import('./take.ts');
    files.push(await takeHeap(flags.pid, flags));
  }
  if (files.length === 1 || flags.ask.length > 0) {
    return showOne(await readHeap(files.at(-1)!, flags), files, flags);
  }
  const stats: HeapStat[] = [];
  const rolls: Roll[] = [];
  // One after the other, before the last: of these only figures are kept, and which objects they had.
  for (const path of files.slice(0, -1)) {
    const opened = await readHeap(path, flags);
    if (opened.heap && !flags.light) rolls.push(rollOf(opened.heap));
    stats.push(figures(opened, flags));
  }
  const last = await readHeap(files.at(-1)!, flags);
  stats.push(figures(last, flags));
  const isWhole = last.heap && (flags.light || rolls.length === files.length - 1);
  if (isWhole && files.length >= FEWEST_HEAPS) {
    const growth = growthOf(stats, rolls, last.heap);
    show(
      flags.json
        ? answerJson({ ...growth, verdict: heapGrowthVerdict(growth) }, flags, files)
        : growthText(growth, flags.all),
    );
  } else {
    const ends = [stats[0]!, stats.at(-1)!] as const;
    const places = isWhole ? placesBetween(rolls, last.heap) : null;
    const difference = { ...statDifference(ends[1], ends[0]), ...places };
    const limit = flags.all ? difference.rows.length : undefined;
    show(
      flags.json
        ? answerJson({ ...difference, verdict: heapDifferenceVerdict(difference) }, flags, files)
        : differenceText(difference, 0, limit),
    );
    if (!flags.json) tell(`A: ${files.at(-1)}, B: ${files[0]}\n`);
    if (!flags.json && places) show(placesText(places, flags.all));
  }
  if (last.heap && isInteractive(flags)) await prompt(sessionOf(last.heap, files, flags));
}

/** Opens one, and says how far it is where somebody looks on. */
async function readHeap(path: string, options: HeapOptions): Promise<OpenedHeapFile> {
  const progress = new ProgressLine(`reading ${basename(path)}`);
  try {
    return await openHeap(path, options, (share) => progress.at(share));
  } finally {
    progress.end();
  }
}

function figures({ heap, stat }: OpenedHeapFile, { by }: HeapFlags): HeapStat {
  return heap ? statOf(partitionOf(heap, heap.objects, by), Date.now() / 1000) : stat!;
}

async function showOne(
  { heap, stat, path }: OpenedHeapFile,
  files: readonly string[],
  flags: HeapFlags,
) {
  if (!heap) {
    if (flags.ask.length > 0) {
      throw new UserError(`${path} has rows only, no objects to ask about`);
    }
    const table = statTable(stat, flags.all);
    show(
      flags.json
        ? answerJson({ ...table, verdict: heapVerdict(table) }, flags, [path])
        : partitionText(table),
    );
    return;
  }
  const session = sessionOf(heap, files, flags);
  if (flags.ask.length > 0) return answerAll(session, path, flags);
  const { retained } = flags;
  const limit = flags.all ? session.current.rows : undefined;
  const table = tableOf(session.current, { retained, ...(limit !== undefined && { limit }) });
  if (flags.json) {
    const verdict = heapVerdict(table);
    show(answerJson({ ...described(heap, path), ...table, verdict }, flags, [path]));
    return;
  }
  show(partitionText(table));
  const { about } = heap.graph;
  show(accountText(heapAccount(about, table.size), about.warnings));
  if (isInteractive(flags)) await prompt(session);
}

async function answerAll(session: HeapSession, path: string, flags: HeapFlags): Promise<void> {
  const answers = [];
  for (const ask of flags.ask) {
    const answer = await session.ask(ask);
    if (flags.json) answers.push({ ask, answer });
    else show(answerText(answer));
  }
  if (flags.json) {
    const result = { type: 'heap-answers', ...described(session.heap, path), answers };
    show(answerJson({ ...result, verdict: heapAnswersVerdict(result) }, flags, [path]));
  }
}

function described({ graph }: Heap, file: string) {
  const { runtime, nodes, edges, about } = graph;
  const size = { nodes: nodes.count, edges: edges.count };
  return { schemaVersion: HEAP_SCHEMA, file, runtime, ...size, about };
}

/** Another heap is named by its path, or by its place among those given: #1 is the first. */
function sessionOf(heap: Heap, files: readonly string[], { by }: HeapFlags): HeapSession {
  const opened = new Map<string, Identities>();
  const other = async (name: string) => {
    const number = /^#(\d+)$/.exec(name)?.[1];
    const path = number === undefined ? name : files[Number(number) - 1];
    if (path === undefined)
      throw new UserError(`there is no heap ${name}`, { hint: `${files.length} were named` });
    const known = opened.get(path);
    if (known) return known;
    const { heap: found } = await readHeap(path, { light: true });
    if (!found) throw new UserError(`${path} has rows only, no objects`);
    const identities = identitiesOf(found);
    opened.set(path, identities);
    return identities;
  };
  return new HeapSession(heap, other, partitionOf(heap, heap.objects, by));
}

const isInteractive = ({ json, prompt: wanted }: HeapFlags) =>
  !json && wanted && process.stdin.isTTY === true && process.stdout.isTTY === true;

/** A loaded `.stat` as the table it was made of. */
function statTable(stat: HeapStat, all = false): HeapTable {
  const end = all ? stat.rows.length : pageEnd(0, stat.rows.length);
  let cumulative = 0;
  const rows = stat.rows.slice(0, end).map((row, index) => {
    cumulative += row.size;
    return { ...row, index, cumulative, retained: null };
  });
  const { header, kindName, count, size } = stat;
  return {
    type: 'heap-partition',
    schemaVersion: HEAP_SCHEMA,
    by: 'kind',
    header,
    kindName,
    count,
    size,
    numRows: stat.rows.length,
    rows,
  };
}
