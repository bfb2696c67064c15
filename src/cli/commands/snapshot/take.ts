import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formatBytes } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import { fileTimestamp } from '../../../base/time.ts';
import type { LookInfo, LookPart } from '../../../model/run.ts';
import type { Meanwhile } from '../../../record/run/options.ts';
import { record } from '../../../record/run/session.ts';
import { RUNS_FOLDER } from '../../../open/recordings.ts';
import { recordRequest } from '../../flags/record-words.ts';
import { answerJson } from '../../output/json.ts';
import { show, tell } from '../../output/terminal.ts';
import { conclude } from '../record/conclusion.ts';
import type { SnapshotFlags } from '../snapshot.ts';
import { lookIntoNode } from './of-node.ts';
import { isDiskFull, lookIntoPython } from './of-python.ts';
import { type Target, targetOf } from './target.ts';

/** An ordinary recording of the process, as short as the look takes, with all that it holds. Where it fails nothing is left behind. */
export async function takeSnapshot(pid: number, flags: SnapshotFlags): Promise<void> {
  const target = targetOf(pid);
  const { name } = target;
  const out = resolve(flags.out ?? join(RUNS_FOLDER, `${name}-snapshot-${fileTimestamp(new Date())}-${pid}.hw`));
  let folder: string | null = null;
  let look: LookInfo | null = null;
  try {
    await record({
      ...recordRequest({ pid, out, name: `${name}-snapshot`, force: flags.force, strict: true, quiet: true }),
      argv: [],
      onFolder: (made) => {
        folder = made;
      },
      meanwhile: async (place) => {
        look = await lookInto(target, place, flags);
        place.run.look = look;
      },
      say: (line) => tell(`${line}\n`),
    }).then(({ writeFailure }) => {
      if (writeFailure !== null) throw new UserError(`cannot write ${out}: ${writeFailure}`);
    });
    await present(look!, folder!, flags);
  } catch (error) {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function lookInto(
  target: Target,
  place: Meanwhile,
  { attach, force }: SnapshotFlags,
): Promise<LookInfo> {
  const look =
    target.language === 'python'
      ? await lookIntoPython(target, place, attach)
      : await lookIntoNode(target, place, { attach, force: force ?? false });
  const full = look.parts.find(isDiskFull);
  if (full) throw new UserError(`cannot write ${place.folder}: ${full.error}`);
  if (look.parts.every(({ error }) => error !== undefined)) {
    throw new UserError(`process ${target.pid} could write down nothing: ${look.parts[0]?.error ?? 'it died'}`);
  }
  return look;
}

async function present(look: LookInfo, folder: string, flags: SnapshotFlags): Promise<void> {
  for (const { name, error } of look.parts) {
    if (error !== undefined) tell(`highwater: without ${WORDS[name]}: ${error}\n`);
  }
  if (!flags.quiet && !flags.json) tell(`${lookWords(look)}\n`);
  await conclude({ folder, exitCode: 0, writeFailure: null }, flags.quiet || flags.json || false, process.stdout);
}

const WORDS: Readonly<Record<LookPart['name'], string>> = {
  held: 'who holds the memory',
  tensors: 'its tensors',
  sizes: 'its sizes',
  heap: 'its objects',
  allocator: "the allocator's snapshot",
};

function lookWords(look: LookInfo): string { return JSON.stringify(look); }
