import { count } from '../../base/text.ts';
import { SECOND_NS } from '../../base/time.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import { type TableName, TIME_FROM } from '../../model/schema.ts';
import { type AgentMessage, type Hello, parseMessage } from './protocol.ts';
import { sizeRows } from './sizes.ts';
import { NOTHING_CHANGED, ToldRows } from './told-rows.ts';

/** The lines of one agent that had no recorder. */
export interface AgentLines {
  /** For messages: the file's name. */
  readonly name: string;
  readonly lines: Iterable<string>;
}

/** One process of a job, on the clock that all of them share. */
export interface Speaker {
  readonly hello: Hello;
  readonly pid: number;
  rank: number | null;
  /** Added to a line's time: nanoseconds on the wall. */
  readonly offset: number;
  readonly messages: AgentMessage[];
  firstNs: number;
  lastNs: number;
  ended: boolean;
}

/** No process of Linux has a larger number, so that those of further hosts find room above. */
const PIDS_OF_A_HOST = 2 ** 22;

/** Whether a text begins as an agent's lines do. */
export const isAgentLines = (head: string): boolean => /^\{"type":"hello",/.test(head);

/** What the processes of one job wrote, each for itself, as one recording. */
export function readJob(name: string, files: Iterable<AgentLines>): Recording {
  const builder = new RecordingBuilder({ id: name, name });
  const hosts: string[] = [];
  const taken = new Set<number>();
  const speakers: Speaker[] = [];
  for (const file of files) speakers.push(...readSpeakers(file, builder, hosts, taken));
  const start = Math.min(...speakers.map((one) => one.firstNs));
  const end = Math.max(...speakers.map((one) => one.lastNs));
  builder.run.startedAt = new Date(start / 1e6).toISOString();
  builder.run.endedAt = new Date(end / 1e6).toISOString();
  builder.run.host.name = hosts.length === 1 ? hosts[0]! : count(hosts.length, 'host');
  builder.run.sources.push({
    id: 'agent',
    ok: true,
    detail: `in ${count(speakers.length, 'process', 'processes')}`,
  });
  if (hosts.length > 1) {
    builder.warn('several hosts: their clocks are taken to agree, and their pids are told apart');
  }
  for (const one of speakers) addProcess(builder, one, start);
  addRows(builder, speakers, start);
  for (const row of sizeRows(speakers, start)) builder.table('process').push(row);
  return builder.build();
}

/** A file has one process, or several that had its number one after the other. */
function readSpeakers(
  { name, lines }: AgentLines,
  builder: RecordingBuilder,
  hosts: string[],
  taken: Set<number>,
): Speaker[] {
  const found: Speaker[] = [];
  let bad = 0;
  for (const line of lines) {
    if (line === '') continue;
    const message = parseMessage(line);
    const speaker = found.at(-1);
    if ('wrong' in message) bad++;
    else if (message.type === 'hello' && message.pid !== speaker?.hello.pid) {
      if (!hosts.includes(message.host)) hosts.push(message.host);
      found.push(speakerOf(message, hosts.indexOf(message.host), taken));
    } else if (speaker) hear(speaker, message, builder);
    else bad++;
  }
  if (bad > 0) builder.warn(`${name}: ${count(bad, 'line')} unreadable`);
  return found;
}

function speakerOf(hello: Hello, host: number, taken: Set<number>): Speaker {
  let pid = hello.pid + host * PIDS_OF_A_HOST;
  while (taken.has(pid)) pid += PIDS_OF_A_HOST;
  taken.add(pid);
  const offset = (hello.wall ?? 0) - (hello.time ?? 0);
  const at = hello.wall ?? 0;
  const { rank } = hello;
  return { hello, pid, rank, offset, messages: [], firstNs: at, lastNs: at, ended: false };
}

function hear(speaker: Speaker, message: AgentMessage, builder: RecordingBuilder): void {
  if ('time' in message && message.time !== null) {
    const at = message.time + speaker.offset;
    speaker.firstNs = Math.min(speaker.firstNs, at);
    speaker.lastNs = Math.max(speaker.lastNs, at);
  }
  if (message.type === 'hello') speaker.rank = message.rank ?? speaker.rank;
  else if (message.type === 'warning')
    builder.warn(`process ${speaker.hello.pid}: ${message.text}`);
  else if (message.type === 'bye') speaker.ended = true;
  else if (message.type !== 'ask' && message.type !== 'answer') speaker.messages.push(message);
}

function addProcess(builder: RecordingBuilder, one: Speaker, start: number): void {
  const program = builder.intern(one.hello.program || one.hello.language);
  const role = builder.intern(one.rank === null ? '' : `rank ${one.rank}`);
  const seen = [one.firstNs - start, one.lastNs - start];
  builder.table('processes').push([one.pid, null, 0, program, program, role, one.rank, ...seen]);
  if (!one.ended) {
    const seconds = ((one.lastNs - start) / SECOND_NS).toFixed(1);
    builder.warn(`process ${one.hello.pid} said no goodbye: it was last heard of at ${seconds} s`);
  }
}

/** Marks, layers and counters of all, in the order in which they happened. */
function addRows(builder: RecordingBuilder, speakers: readonly Speaker[], start: number): void {
  const all = speakers.flatMap((speaker) =>
    speaker.messages.map((message) => ({
      speaker,
      message,
      at: (message as { time: number }).time + speaker.offset - start,
    })),
  );
  all.sort((a, b) => a.at - b.at);
  const told = new ToldRows({
    table: ({ name }) => builder.table(name as TableName),
    intern: (text) => builder.intern(text),
  });
  for (const { speaker, message, at } of all) addMessage(builder, told, message, speaker, at);
}

function addMessage(
  builder: RecordingBuilder,
  told: ToldRows,
  message: AgentMessage,
  { pid, rank }: Speaker,
  time: number,
): void {
  const when = { time, pid, rank };
  switch (message.type) {
    case 'mark':
      told.addMark({ ...message, ...when, timeFrom: TIME_FROM.agent });
      return;
    case 'layers': {
      // An iteration in which nothing changed has a row that says so, as in live recordings.
      const rows = message.rows.length > 0 ? message.rows : [NOTHING_CHANGED];
      told.addLayers({ ...message, ...when, rows });
      return;
    }
    case 'tensors':
      told.addTensors({ ...message, ...when });
      return;
    case 'objects':
      told.addObjects({ ...message, ...when });
      return;
    case 'counters': {
      // What a process tells of its own size is a sample (sizes.ts).
      const values = Object.entries(message.values).filter(
        ([name]) => !name.startsWith('process.'),
      );
      told.addCounters({ ...when, values: Object.fromEntries(values) });
      return;
    }
    case 'snapshot': {
      const { type: _, time: __, ...snapshot } = message;
      builder.run.snapshots ??= [];
      builder.run.snapshots.push({ ...snapshot, ns: time, pid, rank });
    }
  }
}
