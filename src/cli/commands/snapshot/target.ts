import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { UserError } from '../../../base/errors.ts';
import { count } from '../../../base/text.ts';
import { folderFiles } from '../../../model/disk/files.ts';
import { openRecording } from '../../../model/disk/reader.ts';
import type { Recording } from '../../../model/recording.ts';
import { partPaths } from '../../../open/jobs.ts';
import { statOf } from '../../../open/named-file.ts';
import { isRecordingFolder } from '../../../open/recordings.ts';
import { runName } from '../../../record/run/command.ts';
import { languageOf, programOf } from '../../../sources/inspector/index.ts';
import { readStat, readText } from '../../../sources/proc.ts';

/** A program that a snapshot can be taken of. */
export interface Target {
  readonly pid: number;
  readonly startTime: number;
  readonly language: NonNullable<ReturnType<typeof languageOf>>;
  /** What a recording of it is called. */
  readonly name: string;
}

/** All that can be refused without touching the program is refused here. */
export function targetOf(pid: number, proc = '/proc'): Target {
  const stat = readStat(proc, pid);
  if (!stat) throw new UserError(`there is no process ${pid}`);
  if (stat.state === 'Z' || stat.state === 'X') throw new UserError(`process ${pid} has ended`);
  const { uid } = statSync(`${proc}/${pid}`);
  const own = process.getuid?.();
  if (own !== 0 && uid !== own) {
    throw new UserError(`process ${pid} belongs to another user`, {
      hint: `run highwater as that user: sudo -u '#${uid}' highwater …`,
    });
  }
  const language = languageOf(pid, proc);
  if (language === null) {
    const program = programOf(pid, proc);
    if (program === null) {
      throw new UserError(`process ${pid} cannot be looked at: the system does not permit it`, {
        hint: 'in a container that needs --cap-add=SYS_PTRACE; else ask as root',
      });
    }
    throw new UserError(`process ${pid} runs ${basename(program)}, neither Node nor Python`, {
      hint: 'nothing was sent to it; record --pid shows its size over time',
    });
  }
  if (stat.state === 'T' || stat.state === 't') {
    throw new UserError(`process ${pid} is stopped, and can do nothing for us`, {
      hint: `let it go on first: kill -CONT ${pid}`,
    });
  }
  const words = readFileSync(`${proc}/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  const name = words.length > 0 ? runName(words) : `pid${pid}`;
  return { pid, startTime: stat.startTime, language, name };
}

/** The process of a rank in a recording that runs; without one, the largest that can be asked. */
export function pidIn(path: string, rank: number | null): number {
  const isFolder = statOf(path).isDirectory();
  const folders = isRecordingFolder(path) ? [path] : isFolder ? partPaths(path) : [];
  const recordings = folders.map((folder) => openRecording(folderFiles(folder)));
  if (recordings.length === 0) {
    throw new UserError(`${path} is no recording`, { hint: 'name a program with --pid' });
  }
  const running = recordings.filter(({ run }) => run.endedAt === null);
  if (running.length === 0) {
    throw new UserError(`${path} has ended: there is nothing left to look at`, {
      hint: `highwater report ${path}`,
    });
  }
  const living = running.flatMap(livingIn);
  const wanted = rank === null ? living : living.filter((one) => one.rank === rank);
  const [largest] = wanted.toSorted((a, b) => b.resident - a.resident);
  if (largest) return largest.pid;
  const ranks = [...new Set(living.flatMap((one) => one.rank ?? []))].sort((a, b) => a - b);
  if (rank !== null) {
    const hint = ranks.length > 0 ? `there are ${ranksIn(ranks)}` : 'no process told its rank';
    throw new UserError(`no living Python or Node process of ${path} is of rank ${rank}`, { hint });
  }
  throw new UserError(`${path} has no living process that runs Python or Node`);
}

interface Living {
  readonly pid: number;
  readonly rank: number | null;
  readonly resident: number;
}

/** Its processes that still run what they ran, and can be asked. */
function livingIn(recording: Recording): Living[] {
  const table = recording.table('processes');
  const [pids, starts, ranks] = [table.u32('pid'), table.f64('start_time'), table.f64('rank')];
  const told = Number(recording.run.labels.rank ?? Number.NaN);
  const found = new Map<number, Living>();
  for (let row = 0; row < table.rows; row++) {
    const pid = pids[row]!;
    if (readStat('/proc', pid)?.startTime !== starts[row] || languageOf(pid) === null) continue;
    const own = Number.isNaN(ranks[row]!) ? told : ranks[row]!;
    found.set(pid, {
      pid,
      rank: Number.isNaN(own) ? null : own,
      resident: Number(/^VmRSS:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1] ?? 0),
    });
  }
  return [...found.values()];
}

const ranksIn = (ranks: readonly number[]) =>
  ranks.length > 8
    ? `${count(ranks.length, 'rank')}, ${ranks[0]} to ${ranks.at(-1)}`
    : `ranks ${ranks.join(', ')}`;
