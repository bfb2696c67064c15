import { stopped } from '../../analyses/stopped.ts';
import { redactArgv, withoutSecrets } from '../../base/secrets/index.ts';
import { shellJoin } from '../../base/text.ts';
import { agentMemorySum } from '../../model/agent-memory.ts';
import { jobNameOf } from '../../model/job/job-name.ts';
import type { Recording } from '../../model/recording.ts';
import type { StoreRow } from '../batch.ts';
import { STORE_VERSION } from '../schema.ts';
import type { StoredRun } from '../stored-run.ts';
import { momentIn } from './peaks.ts';

export function runRow(run: StoredRun): StoreRow {
  const { recording, report } = run;
  const { run: info } = recording;
  const { labels, host, exit } = info;
  const { headline, ending } = report;
  const ended = info.endedAt === null ? Number.NaN : Date.parse(info.endedAt);
  const whole = (label: string | undefined) => (/^\d{1,9}$/.test(label ?? '') ? label : null);
  return {
    name: info.name,
    command: shellJoin(redactArgv(info.argv)),
    subject: info.subject,
    host: host.name,
    host_memory_bytes: host.memoryBytes,
    cpus: host.cpus || null,
    workload_started: momentIn(run)(0),
    ended: ended * 1000,
    seconds: report.timing.durationSeconds,
    ending: ending.how,
    exit_code: exit?.code,
    exit_signal: exit?.signal,
    oom_killed: exit?.oomKilled,
    job: jobNameOf(info) ?? info.asked?.job,
    rank: whole(labels.rank),
    world_size: whole(labels.worldSize),
    restart: whole(labels.restart),
    launcher: labels.launcher,
    git_commit: labels.commit,
    peak_bytes: headline?.bytes,
    peak_series: headline?.series,
    peak_measure: headline?.measure,
    ...partPeaks(run),
    ...askedFor(recording),
    ...ownMemory(recording),
    samples: (run.ends.get('tree.rss') ?? [...run.ends.values()][0])?.samples ?? 0,
    complete: isComplete(recording),
    frameworks: info.frameworks?.join(','),
    recorder: info.recorder.version,
    store_version: STORE_VERSION,
  };
}

function partPeaks({ recording, report }: StoredRun): StoreRow {
  const peakOf = (name: string) => report.peaks.find(({ series }) => series === name)?.bytes;
  const used = report.gpus.filter(({ usedByTree }) => usedByTree);
  const measured = (used.length > 0 ? used : report.gpus).filter((card) => card.headline !== null);
  const [most] = measured.toSorted((a, b) => b.headline!.bytes - a.headline!.bytes);
  // The kernel's own figure knows what happened between samples; in a group of others it is of before, too.
  const kernel = recording.run.cgroup?.own ? recording.table('cgroup').f64('peak') : [];
  let exact = 0;
  for (const bytes of kernel) exact = Math.max(exact, bytes || 0);
  return {
    host_peak_bytes: peakOf('host.used'),
    tree_peak_bytes: peakOf('tree.pss') ?? peakOf('tree.rss'),
    cgroup_peak_bytes: exact > 0 ? exact : peakOf('cgroup.current'),
    card_peak_bytes: most?.headline?.bytes,
    card_memory_bytes: most?.memoryBytes,
    cards: used.length,
  };
}

/** Ours, so that nobody has to guess what watching costs. */
function ownMemory(recording: Recording): StoreRow {
  let most = Number.NaN;
  for (const bytes of recording.table('host').f64('recorder_anon')) {
    if (!(bytes <= most) && !Number.isNaN(bytes)) most = bytes;
  }
  const held = agentMemorySum(recording);
  const times = recording.table('counters').f64('time');
  const agent = times.reduce((all, ns) => Math.max(all, held(ns)), 0);
  return { recorder_bytes: most, agent_bytes: agent > 0 ? agent : null };
}

function askedFor({ run: { asked, cgroup } }: Recording): StoreRow {
  if (asked && asked.memoryBytes !== null) {
    return { asked_bytes: asked.memoryBytes, asked_of: asked.by };
  }
  const limit = cgroup?.limitBytes ?? null;
  return limit === null ? {} : { asked_bytes: limit, asked_of: 'control group' };
}

function isComplete(recording: Recording): boolean {
  const { endedAt, lostRows = 0, subject } = recording.run;
  const read = stopped(recording) === null && lostRows === 0 && recording.damage.length === 0;
  return read && (endedAt !== null || subject === 'import');
}

export const labelRows = ({ recording }: StoredRun): StoreRow[] =>
  Object.entries(recording.run.labels).map(([key, value]) => ({
    key,
    value: withoutSecrets(value),
  }));
