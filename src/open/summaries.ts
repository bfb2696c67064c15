import { type Dirent, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describeError, FormatError, UserError } from '../base/errors.ts';
import { orUserError } from '../model/disk/files.ts';
import { packedFiles } from '../model/disk/pack.ts';
import { readDetails, readSummary, summaryIn } from '../model/disk/summary-file.ts';
import type { RecordingSummary, SummaryDetails } from '../model/job/summary.ts';
import { growsNow, recorderIsGone } from './growing.ts';
import { isPacked, isRecordingFolder } from './recordings.ts';

/** What was found at one place: a summary, or why there is none. */
export type FoundSummary =
  | {
      readonly path: string;
      readonly summary: RecordingSummary;
      /** Its second line, read when it is asked for; nothing where that cannot be believed. */
      details(): SummaryDetails;
      /** It was made now, as the recording had none that could be read. */
      readonly made: boolean;
    }
  | { readonly path: string; readonly summary: null; readonly reason: string };

/** Folders below folders: a job by node and rank, not a whole disk. */
const DEEPEST = 4;
const MOST_FOLDERS = 200_000;

/**
 * Summaries of all recordings in a folder and those below it, one after the other; of each only what is needed is read.
 * `progress`: how many of the entries of the first folder are done.
 */
export async function* summariesIn(
  folder: string,
  progress: (done: number, total: number) => void = () => {},
): AsyncGenerator<FoundSummary> {
  if (isPacked(folder)) {
    yield await summaryOfPack(folder);
    return;
  }
  const own = await summaryAt(folder);
  if (own) {
    yield own;
    return;
  }
  const left = { folders: MOST_FOLDERS };
  const entries = entriesOf(folder);
  const packs = unpackedToo(entries);
  for (const [i, entry] of entries.entries()) {
    // Of thousands of ranks most are like this: nothing is waited for.
    const stored = entry.isFile() ? null : storedAt(join(folder, entry.name));
    if (stored) yield stored;
    else yield* inEntry(folder, entry, packs, 1, left);
    progress(i + 1, entries.length);
  }
}

/** By name, as everybody sorts ranks. */
function entriesOf(folder: string): Dirent[] {
  const found = orUserError(folder, () => readdirSync(folder, { withFileTypes: true }));
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Packed ones are there for those that are not there unpacked. */
const unpackedToo = (entries: readonly Dirent[]): ReadonlySet<string> =>
  new Set(entries.filter((entry) => !entry.isFile()).map(({ name }) => `${name}z`.toLowerCase()));

async function* inEntry(
  folder: string,
  entry: Dirent,
  unpacked: ReadonlySet<string>,
  depth: number,
  left: { folders: number },
): AsyncGenerator<FoundSummary> {
  const path = join(folder, entry.name);
  if (entry.isFile()) {
    if (isPacked(entry.name) && !unpacked.has(entry.name.toLowerCase()))
      yield await summaryOfPack(path);
    return;
  }
  // Links to recordings are followed, as `report` does; not into folders of them, which may lead in a circle.
  if (!entry.isDirectory() && !entry.isSymbolicLink()) return;
  const own = await summaryAt(path);
  if (own) yield own;
  else if (entry.isDirectory() && depth < DEEPEST && left.folders-- > 0) {
    const entries = entriesOf(path);
    const packs = unpackedToo(entries);
    for (const one of entries) yield* inEntry(path, one, packs, depth + 1, left);
  }
}

/** The summary that a recording ended with; null: there is none, or none to believe. */
function storedAt(path: string): FoundSummary | null {
  try {
    const summary = readSummary(path);
    return summary && { path, summary, details: () => detailsAt(path), made: false };
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}

/** null: no recording is there. */
async function summaryAt(path: string): Promise<FoundSummary | null> {
  let doubt = '';
  try {
    const summary = readSummary(path);
    if (summary) return { path, summary, details: () => detailsAt(path), made: false };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    doubt = `its summary.jsonl is not believed (${error.message}), and `;
  }
  return isRecordingFolder(path) ? madeNow(path, doubt) : null;
}

async function summaryOfPack(path: string): Promise<FoundSummary> {
  let doubt = '';
  try {
    const found = summaryIn(packedFiles(path));
    if (found) return { path, summary: found.summary, details: () => found.details, made: false };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    doubt = `its summary.jsonl is not believed (${error.message}), and `;
  }
  return madeNow(path, doubt);
}

/** Of a recording that died, is still written, or is older than summaries. */
async function madeNow(path: string, doubt: string): Promise<FoundSummary> {
  try {
    // Thousands of summaries are read without what makes one.
    const [{ summarize }, { report }, { locate }, { openWithTraces }] = await Promise.all([
      import('../analyses/job/summarize.ts'),
      import('../analyses/report.ts'),
      import('./locate.ts'),
      import('./open.ts'),
    ]);
    const { recording, snapshots, rankTraces } = await openWithTraces(locate(path));
    const { run } = recording;
    const running =
      run.endedAt === null && !isPacked(path) && growsNow(path) && !recorderIsGone(run);
    const result = report(recording, snapshots, rankTraces);
    const { summary, details } = summarize(recording, result, running);
    return { path, summary, details: () => details, made: true };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { path, summary: null, reason: `${basename(path)}: ${doubt}${describeError(error)}` };
  }
}

const NO_DETAILS: SummaryDetails = { peaks: [], ranks: [] };

function detailsAt(path: string): SummaryDetails {
  try {
    return readDetails(path);
  } catch (error) {
    if (error instanceof FormatError) return NO_DETAILS;
    throw error;
  }
}
