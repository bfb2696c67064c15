import { readFileSync, statSync } from 'node:fs';
import { UserError } from '../../../base/errors.ts';
import { shellJoin } from '../../../base/text.ts';
import { readImports, readSizes, type SizesAt } from '../../../model/sizes.ts';
import { addImports } from '../../../record/agents/import-baseline.ts';
import { askInside } from '../../../record/attach/index.ts';
import { askAgent } from '../../../sources/agent/ask.ts';
import { languageOf } from '../../../sources/inspector/index.ts';
import { type MappedParts, mappedParts, readMappings } from '../../../sources/mappings/index.ts';
import type { SizedProcess } from '../../../views/sizes.ts';
import { tell } from '../../output/terminal.ts';
import { wayIn } from '../../output/way-in.ts';

const PATIENCE_MS = 120_000;

/** A running process: what its agent answers, and what shows from outside whether or not it does. */
export async function sizesOfPid(
  pid: number,
  { baseline, attach }: { baseline: boolean; attach: boolean },
): Promise<SizedProcess> {
  const command = commandOf(pid);
  const parts = partsOf(pid);
  if (parts === null) {
    throw new UserError(`the memory of process ${pid} is not yours to read`, {
      hint: 'ask as its user, or as root',
    });
  }
  const topsize = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
  const head = { pid, rank: null, command, at: 'now', topsize, parts };
  try {
    const answer = await askSizes(pid, attach);
    // The Python that measures the imports is one that the process names: run only our own user's.
    const ours = statSync(`/proc/${pid}`).uid === process.getuid?.();
    const { sizes } = baseline && ours ? await addImports(answer) : answer;
    return { ...head, sizes, reason: null };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const hint = error.hint ? ` (${error.hint})` : '';
    return { ...head, sizes: null, reason: `not from inside: ${error.message}${hint}` };
  }
}

async function askSizes(pid: number, attach: boolean): Promise<SizesAt> {
  const value =
    languageOf(pid) === 'python' ? await inPython(pid, attach) : await askAgent(pid, 'sizes');
  const sizes = readSizes(value);
  if (!sizes) throw new UserError(`process ${pid} answered something unreadable`);
  return { at: 'now', rank: null, sizes, imports: readImports(value) };
}

async function inPython(pid: number, attach: boolean): Promise<unknown> {
  const answer = await askInside(pid, 'sizes', {}, PATIENCE_MS, attach);
  tell(wayIn(pid, answer));
  return answer.value;
}

function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    if (words.length > 0) return shellJoin(words);
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    throw new UserError(`there is no process ${pid}`);
  }
}

type Part = readonly [what: string, bytes: number];

const PART_NAMES: Readonly<Record<keyof MappedParts, string>> = {
  code: 'code and libraries',
  files: 'other mapped files',
  heap: 'heap',
  blocks: "large anonymous blocks (arrays, allocators' arenas)",
  smallBlocks: 'small anonymous blocks',
  stacks: 'stacks',
  shared: 'shared memory',
  devices: 'mapped from devices',
};

/** What a process's mappings say, the largest first; null where they may not be read. */
function partsOf(pid: number): Part[] | null {
  const mappings = readMappings(pid);
  if (!mappings || mappings.length === 0) return null;
  const parts = Object.entries(mappedParts(mappings)) as [keyof MappedParts, number][];
  return parts
    .filter(([, bytes]) => bytes > 0)
    .map(([kind, bytes]): Part => [PART_NAMES[kind], bytes])
    .sort((a, b) => b[1] - a[1]);
}
