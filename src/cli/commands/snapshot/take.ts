import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { report } from '../../../analyses/report.ts';
import { UserError } from '../../../base/errors.ts';
import { count } from '../../../base/text.ts';
import { fileTimestamp } from '../../../base/time.ts';
import type { LookInfo, LookPart } from '../../../model/run.ts';
import { RUNS_FOLDER } from '../../../open/recordings.ts';
import type { Meanwhile } from '../../../record/run/options.ts';
import { record } from '../../../record/run/session.ts';
import { recordRequest } from '../../flags/record-words.ts';
import { answerJson, type JsonFlags } from '../../output/json.ts';
import { show, tell } from '../../output/terminal.ts';
import { INSPECTOR_LINES } from '../heap/take.ts';
import { conclude } from '../record/conclusion.ts';
import { lookIntoNode } from './of-node.ts';
import { isDiskFull, lookIntoPython } from './of-python.ts';
import { type Target, targetOf } from './target.ts';

export interface SnapshotFlags extends JsonFlags {
  readonly pid?: number;
  readonly rank?: number;
  readonly out?: string;
  readonly attach: boolean;
  readonly force?: true;
  readonly quiet?: true;
}

/** An ordinary recording of the process, as short as the look takes, with all that it holds. Where it fails nothing is left behind. */
export async function takeSnapshot(pid: number, flags: SnapshotFlags): Promise<void> {
  const target = targetOf(pid);
  const { name } = target;
  const out = resolve(
    flags.out ?? join(RUNS_FOLDER, `${name}-snapshot-${fileTimestamp(new Date())}-${pid}.hw`),
  );
  let folder: string | null = null;
  let look: LookInfo | null = null;
  try {
    await record({
      ...recordRequest({
        pid,
        out,
        name: `${name}-snapshot`,
        force: flags.force,
        strict: true,
        quiet: true,
      }),
      argv: [],
      onFolder: (made) => {
        folder = made;
      },
      meanwhile: async (place) => {
        look = await lookInto(target, place, flags);
        place.run.look = look;
        return look.ns;
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
    throw new UserError(
      `process ${target.pid} could write down nothing: ${look.parts[0]?.error ?? 'it died'}`,
    );
  }
  return look;
}

async function present(look: LookInfo, folder: string, flags: SnapshotFlags): Promise<void> {
  const quiet = flags.quiet || flags.json || false;
  for (const { name, error } of look.parts) {
    if (error !== undefined) tell(`highwater: without ${WORDS[name]}: ${error}\n`);
  }
  if (!quiet) tell(lookWords(look));
  await conclude({ folder, exitCode: 0, writeFailure: null }, quiet, process.stderr);
  if (!flags.json) return;
  const [{ openWithTraces }, { locate }] = await Promise.all([
    import('../../../open/open.ts'),
    import('../../../open/locate.ts'),
  ]);
  const { recording, snapshots } = await openWithTraces(locate(folder));
  show(answerJson(report(recording, snapshots), flags, [folder]));
}

const WORDS: Readonly<Record<LookPart['name'], string>> = {
  held: 'who holds the memory',
  tensors: 'its tensors',
  sizes: 'its sizes',
  heap: 'its objects',
  allocator: "the allocator's snapshot",
};

/** How it was asked, how long it stood still, and what it wrote down. */
function lookWords({ pid, by, pauseMs, parts }: LookInfo): string {
  const way = by === 'agent' ? '' : `process ${pid} has no agent: attached by ${by}\n`;
  const still = pauseMs === null ? '' : `the program stood still for ${pauseMs.toFixed(0)} ms; `;
  const counted = (name: LookPart['name'], figure: 'count' | 'events', one: string) => {
    const found = parts.find((part) => part.name === name)?.[figure];
    return found === undefined ? [] : [count(found, one)];
  };
  const told = [
    ...counted('heap', 'count', 'object'),
    ...counted('tensors', 'count', 'tensor'),
    ...counted('allocator', 'events', 'event'),
  ];
  const node = by === 'inspector' ? `${INSPECTOR_LINES}\n` : '';
  return `${way}${still}${told.join(', ')} written down\n${node}`;
}
