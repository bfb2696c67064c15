import { Redactor, usersIn } from '../base/redaction.ts';
import { hideSecrets, redactArgv, withoutSecrets } from '../base/secrets/index.ts';
import { makeRecording, type Recording } from './recording.ts';
import type { RunInfo } from './run.ts';
import { TABLES } from './schema.ts';
import { Table } from './table.ts';

const NOTE =
  'paths, user and host names were taken out of this recording; what stands for them ends in a number';

/**
 * A recording to give away: paths, user and host names are placeholders, figures are as they were.
 * `users` and `hosts`: names to look for beside those that the recording itself names.
 */
export function redactRecording(
  recording: Recording,
  users: readonly string[] = [],
  hosts: readonly string[] = [],
): Recording {
  const { run } = recording;
  const strings = recording.table('strings');
  const values = strings.utf8('value');
  const ownUsers = [...values, JSON.stringify(run)].flatMap(usersIn);
  const redactor = new Redactor(
    [...users, ...ownUsers],
    [...hosts, ...hostsOf(run)].flatMap(withShort),
  );
  const commands = new Set(recording.table('processes').u32('argv'));
  const ids = strings.u32('id');
  const texts = values.map((value, row) =>
    commands.has(ids[row]!)
      ? redactor.command(withoutSecrets(value))
      : redactor.text(withoutSecrets(value)),
  );
  const table = new Table(TABLES.strings, [{ rows: strings.rows, columns: [ids, texts] }]);
  return makeRecording(
    redactRun(run, redactor),
    recording.tables,
    (name) => (name === 'strings' ? table : recording.table(name)),
    recording.damage,
  );
}

function hostsOf({ host, labels }: RunInfo): string[] {
  const named = Object.entries(labels).filter(([key]) => /host|node/i.test(key));
  return [host.name, ...named.map(([, value]) => value)];
}

/** `gpu7.cluster.example` is also called gpu7, and belongs to cluster.example. A label may be a number. */
const withShort = (host: string) => {
  const [short, ...domain] = host.split('.');
  const others = domain.length > 1 ? [domain.join('.')] : [];
  return [host, short!, ...others].filter((name) => !/^\d*$/.test(name));
};

function redactRun(run: RunInfo, redactor: Redactor): RunInfo {
  // Files beside the tables are other tools' and ours with texts inside: they are not given away.
  const { snapshots: _snapshots, heaps: _heaps, ...rest } = run;
  const plain = mapTexts(hideSecrets(rest), (text) => redactor.text(text)) as RunInfo;
  return {
    ...plain,
    subject: run.subject,
    host: { ...plain.host, name: redactor.host(run.host.name) },
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    argv: redactArgv(run.argv).map((word) => redactor.word(word)),
    gpus: plain.gpus.map((gpu, i) => ({ ...gpu, uuid: `GPU-${i + 1}` })),
    warnings: [...plain.warnings, NOTE],
  };
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, mapTexts(one, change)]);
  return Object.fromEntries(entries);
}
