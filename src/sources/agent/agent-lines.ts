import { FormatError } from '../../base/errors.ts';
import { withoutSecrets } from '../../base/secrets/index.ts';
import { count } from '../../base/text.ts';
import { isoTime, SECOND_NS } from '../../base/time.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { TableName } from '../../model/schema.ts';
import type { Sink } from '../source.ts';
import { addAgentRows } from './agent-rows.ts';
import type { Hello } from './kinds/hello.ts';
import { type AgentMessage, isRowMessage, type TimedMessage } from './kinds/index.ts';
import type { Received } from './kinds/kind.ts';
import { processSamples, type SizeReports } from './process-samples.ts';
import { parseMessage } from './protocol.ts';

/** The lines of one agent that had no recorder. */
export interface AgentLines {
  /** For messages: the file's name. */
  readonly name: string;
  readonly lines: Iterable<string>;
}

/** One process, on the clock that all of them share. */
interface AgentProcess {
  readonly hello: Hello;
  readonly pid: number;
  rank: number | null;
  /** Added to a line's time: nanoseconds on the wall. */
  readonly offset: number;
  readonly messages: TimedMessage[];
  firstNs: number;
  lastNs: number;
  ended: boolean;
}

/** No process of Linux has a larger number, so that those of further hosts find room above. */
const PIDS_OF_A_HOST = 2 ** 22;

/** Whether a text begins as an agent's lines do. */
export const isAgentLines = (head: string): boolean => /^\{"type":"hello",/.test(head);

/** What the processes of one run wrote, each for itself, as one recording. */
export function readAgentLines(name: string, files: Iterable<AgentLines>): Recording {
  const builder = new RecordingBuilder({ id: name, name }, withoutSecrets);
  const hosts: string[] = [];
  const taken = new Set<number>();
  const processes: AgentProcess[] = [];
  for (const file of files) processes.push(...readProcesses(file, builder, hosts, taken));
  if (processes.length === 0)
    throw new FormatError(`${name} has no agent's lines that can be read`);
  const start = Math.min(...processes.map((one) => one.firstNs));
  const end = Math.max(...processes.map((one) => one.lastNs));
  builder.run.startedAt = isoTime(start / 1e6);
  builder.run.endedAt = isoTime(end / 1e6);
  builder.run.host.name = hosts.length === 1 ? hosts[0]! : count(hosts.length, 'host');
  builder.run.sources.push({
    id: 'agent',
    ok: true,
    detail: `in ${count(processes.length, 'process', 'processes')}`,
  });
  if (hosts.length > 1) {
    builder.warn('several hosts: their clocks are taken to agree, and their pids are told apart');
  }
  for (const one of processes) addProcess(builder, one, start);
  addMessages(builder, processes, start);
  const sizes = processes.map((one) => sizesOf(one, start));
  for (const row of processSamples(sizes)) builder.table('process').push(row);
  return builder.build();
}

/** A file has one process, or several that had its number one after the other. */
function readProcesses(
  { name, lines }: AgentLines,
  builder: RecordingBuilder,
  hosts: string[],
  taken: Set<number>,
): AgentProcess[] {
  const found: AgentProcess[] = [];
  let bad = 0;
  for (const line of lines) {
    if (line === '') continue;
    const message = parseMessage(line);
    const current = found.at(-1);
    if ('wrong' in message) bad++;
    else if (message.type === 'hello' && message.pid !== current?.hello.pid) {
      if (!hosts.includes(message.host)) hosts.push(message.host);
      found.push(processOf(message, hosts.indexOf(message.host), taken));
    } else if (current) take(current, message, builder);
    else bad++;
  }
  if (bad > 0) builder.warn(`${name}: ${count(bad, 'line')} unreadable`);
  return found;
}

function processOf(hello: Hello, host: number, taken: Set<number>): AgentProcess {
  let pid = hello.pid + host * PIDS_OF_A_HOST;
  while (taken.has(pid)) pid += PIDS_OF_A_HOST;
  taken.add(pid);
  const offset = (hello.wall ?? 0) - (hello.time ?? 0);
  const at = hello.wall ?? 0;
  const { rank } = hello;
  return { hello, pid, rank, offset, messages: [], firstNs: at, lastNs: at, ended: false };
}

function take(from: AgentProcess, message: AgentMessage, builder: RecordingBuilder): void {
  if ('time' in message && message.time !== null) {
    const at = message.time + from.offset;
    from.firstNs = Math.min(from.firstNs, at);
    from.lastNs = Math.max(from.lastNs, at);
  }
  if (message.type === 'hello') from.rank = message.rank ?? from.rank;
  else if (message.type === 'warning')
    builder.warn(withoutSecrets(`process ${from.hello.pid}: ${message.text}`));
  else if (message.type === 'bye') from.ended = true;
  else if (message.type !== 'ask' && message.type !== 'answer') from.messages.push(message);
}

function addProcess(builder: RecordingBuilder, one: AgentProcess, start: number): void {
  const program = builder.intern(one.hello.program || one.hello.language);
  const role = builder.intern(one.rank === null ? '' : `rank ${one.rank}`);
  const seen = [one.firstNs - start, one.lastNs - start];
  builder.table('processes').push([one.pid, null, 0, program, program, role, one.rank, ...seen]);
  if (!one.ended) {
    const seconds = ((one.lastNs - start) / SECOND_NS).toFixed(1);
    builder.warn(`process ${one.hello.pid} said no goodbye: it was last heard of at ${seconds} s`);
  }
}

/** The messages of all, in the order in which they were sent. */
function addMessages(
  builder: RecordingBuilder,
  processes: readonly AgentProcess[],
  start: number,
): void {
  const all = processes.flatMap(({ messages, offset, pid, rank }) =>
    messages.map((message) => ({ message, time: message.time + offset - start, pid, rank })),
  );
  all.sort((a, b) => a.time - b.time);
  const sink: Sink = {
    table: ({ name }) => builder.table(name as TableName),
    intern: (text) => builder.intern(text),
  };
  for (const received of all) addMessage(builder, sink, received);
}

function addMessage(
  builder: RecordingBuilder,
  sink: Sink,
  { message, ...from }: Received<TimedMessage>,
): void {
  if (message.type === 'snapshot') {
    const { type: _, time: __, ...snapshot } = message;
    const { time: ns, pid, rank } = from;
    builder.run.snapshots ??= [];
    builder.run.snapshots.push({ ...snapshot, ns, pid, rank });
  } else if (message.type === 'counters') {
    // What a process tells of its own size is a sample (process-samples.ts).
    const others = Object.entries(message.values).filter(([name]) => !name.startsWith('process.'));
    addAgentRows(sink, { ...from, message: { ...message, values: Object.fromEntries(others) } });
  } else if (isRowMessage(message)) addAgentRows(sink, { ...from, message });
}

function sizesOf({ pid, messages, offset }: AgentProcess, start: number): SizeReports {
  const sizes = messages.flatMap((message) => {
    if (message.type !== 'counters') return [];
    const rss = message.values['process.rss'];
    if (rss === undefined) return [];
    const hwm = message.values['process.hwm'] ?? null;
    return [{ at: message.time + offset - start, rss, hwm }];
  });
  return { pid, sizes };
}
