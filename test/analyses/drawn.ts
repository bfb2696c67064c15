import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { Recording } from '../../src/model/recording.ts';
import type { RunInfo } from '../../src/model/run.ts';

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
  readonly estimated?: readonly number[];
}

/** A recording as one draws it on paper: moments in seconds, memory in MiB. */
export interface Drawing {
  readonly run?: Partial<RunInfo>;
  readonly at?: readonly number[];
  /** Columns of the host table, by field. */
  readonly host?: Readonly<Record<string, readonly (number | null)[]>>;
  readonly processes?: readonly DrawnProcess[];
  readonly cgroup?: {
    current: readonly number[];
    peak: readonly (number | null)[];
    file?: readonly number[];
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
    for (const { pid, rss, pss, hwm, estimated } of processes) {
      if (rss[i] == null) continue;
      const row = [bytes(rss[i]), null, null, null, null, bytes(hwm?.[i]), bytes(pss?.[i])];
      builder.table('process').push([ns(seconds), pid, ...row, estimated?.[i] ?? 0]);
    }
    if (cgroup) {
      const row = [bytes(cgroup.current[i]), bytes(cgroup.peak[i])];
      builder.table('cgroup').push([ns(seconds), ...row, null, bytes(cgroup.file?.[i]), null]);
    }
  }
  for (const { pid, rss, role = '', name = '', argv = '', startTime = 1 } of processes) {
    const lived = at.filter((_, i) => rss[i] != null);
    const text = [argv, name, role].map((value) => builder.intern(value));
    const seen = [ns(lived[0] ?? 0), ns(lived.at(-1) ?? 0)];
    builder.table('processes').push([pid, startTime, 1, ...text, null, ...seen]);
  }
  for (const mark of marks) {
    const [, kind, name, seconds] = /^(\S+?)(?: (.*))?@([-\d.]+)$/.exec(mark)!;
    const number = Number(name);
    builder
      .table('marks')
      .push([
        ns(Number(seconds)),
        2,
        null,
        null,
        builder.intern(kind!),
        builder.intern(kind === 'iteration' ? '' : (name ?? '')),
        kind === 'epoch' ? number : null,
        kind === 'iteration' ? number : null,
        null,
      ]);
  }
  return builder.build();
}
