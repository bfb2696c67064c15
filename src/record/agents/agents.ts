import { describeError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import type { RowMessage, TimedMessage } from '../../sources/agent/kinds/index.ts';
import type { Received } from '../../sources/agent/kinds/kind.ts';
import { type AgentSnapshot, snapshotKind } from '../../sources/agent/kinds/snapshot.ts';
import { AgentSocket } from '../../sources/agent/socket.ts';
import type { RunKeeper } from '../run/run-keeper.ts';
import type { Wishes } from '../run/unmet-flags.ts';
import type { ClockOrigin } from '../threads/messages.ts';
import { noteJob } from '../workload/launch-labels.ts';
import { agentClock } from './agent-clock.ts';
import { CounterIntake } from './counter-intake.ts';
import { type AgentChoice, shutOut } from './injection.ts';
import { LayerIntake } from './layer-intake.ts';
import type { MarkIntake } from './mark-intake.ts';
import { RowIntake } from './row-intake.ts';
import { SizeIntake } from './size-intake.ts';

/** A program that sends nonsense must not fill run.json. */
const MOST_WARNINGS = 20;

export interface AgentNews {
  readonly marks: MarkIntake;
  readonly keeper: RunKeeper;
  readonly origin: ClockOrigin;
  readonly maxDisk: number;
  readonly wishes: Wishes;
  /** To be stored. */
  onRows(received: Received<RowMessage>): void;
}

export interface Agents {
  /** The socket's path, for the workload; null where there is none. */
  readonly path: string | null;
  /** Notes who spoke, and why nobody did where that can be known. */
  close(argv: readonly string[], choice: AgentChoice): Promise<void>;
}

/** Programs that carry an agent tell what cannot be seen from outside; most carry none. */
export async function openAgents(news: AgentNews): Promise<Agents> {
  const { marks, keeper, origin, maxDisk, onRows } = news;
  const warned = new Set<string>();
  const onWarning = (text: string) => {
    if (!warned.has(text) && warned.size < MOST_WARNINGS) keeper.warn(text);
    warned.add(text);
  };
  const layers = new LayerIntake(origin, maxDisk, { onRows, onWarning });
  const counters = new CounterIntake(origin, maxDisk, { onRows, onWarning });
  const rows = new RowIntake(origin, maxDisk, onRows);
  const sizes = new SizeIntake();
  const timeOf = agentClock(origin);
  const addSnapshot = (message: AgentSnapshot, pid: number, rank: number | null) => {
    const { type: _, time, ...rest } = message;
    keeper.run.snapshots ??= [];
    if (keeper.run.snapshots.length < snapshotKind.limits.perRecording) {
      keeper.run.snapshots.push({ ...rest, ns: timeOf(time), pid, rank });
    }
  };
  const onMessage = (message: TimedMessage, pid: number, rank: number | null) => {
    switch (message.type) {
      case 'mark':
        return marks.addAgent(message, pid, rank);
      case 'layers':
        news.wishes.sawLayers();
        return layers.add(message, pid, rank);
      case 'counters':
        news.wishes.sawCounters(message.values);
        return counters.add(message, pid, rank);
      case 'snapshot':
        return addSnapshot(message, pid, rank);
      case 'sizes':
        return sizes.add(message, pid, rank);
      default:
        return rows.add(message, pid, rank);
    }
  };
  const senders = new Set<number>();
  const note = (argv: readonly string[], choice: AgentChoice) => {
    const reason = choice === 'off' ? 'not wanted (--agent off)' : shutOut(argv);
    const { sources } = keeper.run;
    if (senders.size > 0) {
      sources.push({
        id: 'agent',
        ok: true,
        detail: `in ${count(senders.size, 'process', 'processes')}`,
      });
    } else if (reason) sources.push({ id: 'agent', ok: false, reason });
  };
  try {
    const socket = await AgentSocket.open({
      onHello: (hello) => {
        senders.add(hello.pid);
        noteJob(keeper.run.labels, hello);
      },
      onMessage,
      onWarning,
    });
    return {
      path: socket.path,
      async close(argv, choice) {
        await socket.close();
        for (const text of news.wishes.unmet()) keeper.warn(text);
        sizes.close(keeper.folder, onWarning);
        note(argv, choice);
      },
    };
  } catch (error) {
    keeper.warn(`no socket for agents: ${describeError(error)}`);
    return { path: null, close: async () => {} };
  }
}
