import { describeError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { type ReportedSizes, writeSizes } from '../../model/disk/sizes-file.ts';
import { frameworksIn } from '../../model/frameworks.ts';
import type { RunInfo } from '../../model/run.ts';
import type { AgentCallers } from '../../sources/agent/kinds/callers.ts';
import type { RowMessage, TimedMessage } from '../../sources/agent/kinds/index.ts';
import type { Received } from '../../sources/agent/kinds/kind.ts';
import type { AgentOwnWork } from '../../sources/agent/kinds/own.ts';
import { type AgentSizes, sizesKind } from '../../sources/agent/kinds/sizes.ts';
import { type AgentSnapshot, snapshotKind } from '../../sources/agent/kinds/snapshot.ts';
import { AgentSocket } from '../../sources/agent/socket.ts';
import type { AgentChoice } from '../run/options.ts';
import type { RunFile } from '../run/run-file.ts';
import type { UnmetFlags } from '../run/unmet-flags.ts';
import type { ClockOrigin } from '../threads/messages.ts';
import { noteJob } from '../workload/launch-labels.ts';
import { agentClock } from './agent-clock.ts';
import { CounterIntake } from './counter-intake.ts';
import { shutOut } from './injection.ts';
import { LayerIntake } from './layer-intake.ts';
import type { MarkIntake } from './mark-intake.ts';
import { nodeCommand } from './node-command.ts';
import { RowIntake } from './row-intake.ts';

/** A program that sends nonsense must not fill run.json. */
const MOST_WARNINGS = 20;

export interface AgentsOptions {
  readonly marks: MarkIntake;
  readonly runFile: RunFile;
  readonly origin: ClockOrigin;
  readonly maxDisk: number;
  readonly unmetFlags: UnmetFlags;
  /** To be stored. */
  onRows(received: Received<RowMessage>): void;
  /** Our own work inside of a process begins, or ends. */
  onOwn(message: AgentOwnWork, pid: number): void;
}

export interface Agents {
  /** The socket's path, for the workload; null where there is none. */
  readonly path: string | null;
  /** Asks the agent in a process for something that it then tells. */
  tell(pid: number, what: string): void;
  /** Notes who spoke, and why nobody did where that can be known. */
  close(argv: readonly string[], choice: AgentChoice): Promise<void>;
}

/** Programs that carry an agent tell what cannot be seen from outside; most carry none. */
export async function openAgents(options: AgentsOptions): Promise<Agents> {
  const { marks, runFile, origin, maxDisk, onRows } = options;
  const warned = new Set<string>();
  const onWarning = (text: string) => {
    if (!warned.has(text) && warned.size < MOST_WARNINGS) runFile.warn(text);
    warned.add(text);
  };
  const layers = new LayerIntake(origin, maxDisk, { onRows, onWarning });
  const counters = new CounterIntake(origin, maxDisk, { onRows, onWarning });
  const rows = new RowIntake(origin, maxDisk, onRows);
  const sizes = new SizeIntake();
  const addSnapshot = (message: AgentSnapshot, pid: number, rank: number | null) => {
    const { type: _, time, ...rest } = message;
    // A higher peak takes the place of the one before.
    const others = (runFile.run.snapshots ?? []).filter(({ file }) => file !== rest.file);
    if (others.length < snapshotKind.limits.perRecording) {
      // Those of several moments may be written at once, and come in any order.
      const ns = agentClock(origin)(time);
      const all = [...others, { ...rest, ns, pid, rank }];
      runFile.run.snapshots = all.sort((a, b) => a.ns - b.ns);
    }
  };
  const onMessage = (message: TimedMessage, pid: number, rank: number | null) => {
    switch (message.type) {
      case 'mark':
        return marks.addAgent(message, pid, rank);
      case 'layers':
        options.unmetFlags.sawLayers();
        return layers.add(message, pid, rank);
      case 'counters':
        options.unmetFlags.sawCounters(message.values);
        return counters.add(message, pid, rank);
      case 'snapshot':
        return addSnapshot(message, pid, rank);
      case 'sizes':
        return sizes.add(message, pid, rank);
      case 'callers':
        return noteFrameworks(runFile.run, message);
      case 'own':
        return options.onOwn(message, pid);
      default:
        return rows.add(message, pid, rank);
    }
  };
  const senders = new Set<number>();
  const note = (argv: readonly string[], choice: AgentChoice) => {
    const reason =
      choice === 'off' ? 'not wanted (--agent off)' : (shutOut(argv) ?? nodeReason(argv));
    const { sources } = runFile.run;
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
        noteJob(runFile.run.labels, hello);
      },
      onMessage,
      onWarning,
    });
    return {
      path: socket.path,
      tell: (pid, what) => socket.tell(pid, what),
      async close(argv, choice) {
        await socket.close();
        for (const text of options.unmetFlags.warnings()) runFile.warn(text);
        sizes.close(runFile.folder, onWarning);
        note(argv, choice);
      },
    };
  } catch (error) {
    runFile.warn(`no socket for agents: ${describeError(error)}`);
    return { path: null, tell: () => {}, close: async () => {} };
  }
}

/** Why the command lets no agent in, where it is a Node that cannot. */
function nodeReason(argv: readonly string[]): string | null {
  const node = nodeCommand(argv, process.env);
  return node && !node.ok ? node.reason : null;
}

/** Of the names of functions nothing is kept but whose loop it is. */
function noteFrameworks(run: RunInfo, { frames, sharded }: AgentCallers): void {
  const called = frames.map(([file, name]) => ({ file: `/${file}`, function: name }));
  const found = new Set([
    ...(run.frameworks ?? []),
    ...frameworksIn(called),
    ...(sharded ? ['fsdp'] : []),
  ]);
  if (found.size > 0) run.frameworks = [...found];
}

/** Takes the sizes that processes tell at their end or at an iteration, and keeps them beside the recording. */
class SizeIntake {
  readonly #sizes = new Map<string, ReportedSizes>();

  add({ at, value }: AgentSizes, pid: number, rank: number | null): void {
    const { perRecording } = sizesKind.limits;
    if (this.#sizes.size < perRecording) this.#sizes.set(`${pid} ${at}`, { at, rank, value });
  }

  close(folder: string, onWarning: (text: string) => void): void {
    try {
      if (this.#sizes.size > 0) writeSizes(folder, [...this.#sizes.values()]);
    } catch (error) {
      onWarning(`the sizes that processes told are lost: ${describeError(error)}`);
    }
  }
}
