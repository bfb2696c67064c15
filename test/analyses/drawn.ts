import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { RunInfo } from '../../src/model/run.ts';
import { TIME_FROM } from '../../src/model/schema.ts';
import { addRow } from '../support/rows.ts';

/** A process of a drawn recording: MiB at each moment, null where it did not live. */
export interface DrawnProcess {
  readonly pid: number;
  readonly role?: string;
  readonly name?: string;
  readonly argv?: string;
  readonly startTime?: number;
  readonly rss: readonly (number | null)[];
  readonly pss?: readonly (number | null)[];
  readonly hwm?: readonly (number | null)[];
  readonly anon?: readonly (number | null)[];
  readonly file?: readonly (number | null)[];
  readonly shmem?: readonly (number | null)[];
  readonly estimated?: readonly number[];
  /** What it had read, and asked for, at each moment; MiB. */
  readonly read?: readonly number[];
  readonly asked?: readonly number[];
  /** For how many seconds it was busy by then. */
  readonly busy?: readonly number[];
}

/** A recording as one draws it on paper: moments in seconds, memory in MiB. */
export interface Drawing {
  readonly run?: Partial<RunInfo>;
  readonly at?: readonly number[];
  /** Columns of the host table, by field. */
  readonly host?: Readonly<Record<string, readonly (number | null)[]>>;
  readonly processes?: readonly DrawnProcess[];
  readonly cgroup?: {
    current: readonly (number | null)[];
    peak: readonly (number | null)[];
    file?: readonly (number | null)[];
    anon?: readonly (number | null)[];
    shmem?: readonly (number | null)[];
  };
  /** `start@1`, `epoch 2@3.5`: kind, an optional name, and the moment. */
  readonly marks?: readonly string[];
}

export function drawRecording(drawing: Drawing): Recording {
  const { at = [], host, processes = [], cgroup, marks = [] } = drawing;
  const builder = new RecordingBuilder({
    id: 'drawn',
    name: 'train',
    argv: ['python', 'train.py'],
    subject: 'command',
    endedAt: '2026-01-01T00:01:00.000Z',
    ...drawing.run,
  });
  const ns = (seconds: number) => seconds * SECOND_NS;
  const bytes = (value: number | null | undefined) => (value == null ? null : value * MiB);

  if (host) {
    const table = builder.table('host', Object.keys(host));
    for (const [i, seconds] of at.entries()) {
      table.push(
        table.spec.columns.map(({ name, unit }) => {
          if (name === 'time') return ns(seconds);
          const value = host[name]?.[i] ?? null;
          return unit === 'bytes' ? bytes(value) : value;
        }),
      );
    }
  }
  for (const [i, seconds] of at.entries()) {
    for (const { pid, rss, estimated, ...parts } of processes) {
      if (rss[i] == null) continue;
      const { pss, hwm, anon, file, shmem } = parts;
      const sizes = {
        rss: bytes(rss[i]),
        hwm: bytes(hwm?.[i]),
        pss: bytes(pss?.[i]),
        anon: bytes(anon?.[i]),
        file: bytes(file?.[i]),
        shmem: bytes(shmem?.[i]),
      };
      const pss_estimated = estimated?.[i] ?? 0;
      addRow(builder, 'process', { time: ns(seconds), pid, ...sizes, pss_estimated });
      const [read, asked] = [bytes(parts.read?.[i]), bytes(parts.asked?.[i])];
      const busy = parts.busy ? ns(parts.busy[i]!) : null;
      if (parts.asked) addRow(builder, 'intake', { time: ns(seconds), pid, read, asked, busy });
    }
    if (cgroup) {
      const [current, peak] = [bytes(cgroup.current[i]), bytes(cgroup.peak[i])];
      const parts = {
        file: bytes(cgroup.file?.[i]),
        anon: bytes(cgroup.anon?.[i]),
        shmem: bytes(cgroup.shmem?.[i]),
      };
      addRow(builder, 'cgroup', { time: ns(seconds), current, peak, ...parts });
    }
  }
  for (const { pid, rss, role = '', name = '', argv = '', startTime = 1 } of processes) {
    const lived = at.filter((_, i) => rss[i] != null);
    const seen = { first_seen: ns(lived[0] ?? 0), last_seen: ns(lived.at(-1) ?? 0) };
    addRow(builder, 'processes', {
      pid,
      start_time: startTime,
      ppid: 1,
      argv,
      name,
      role,
      ...seen,
    });
  }
  for (const mark of marks) {
    const [, kind, name, seconds] = /^(\S+?)(?: (.*))?@([-\d.]+)$/.exec(mark)!;
    const number = Number(name);
    addRow(builder, 'marks', {
      time: ns(Number(seconds)),
      time_from: TIME_FROM.agent,
      kind,
      name: kind === 'iteration' || kind === 'count' ? '' : (name ?? ''),
      epoch: kind === 'epoch' ? number : null,
      iteration: kind === 'iteration' || kind === 'count' ? number : null,
    });
  }
  return builder.build();
}
