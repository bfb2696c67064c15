import { describeError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { AgentSocket } from '../../sources/agent/socket.ts';
import type { RunKeeper } from '../run/run-keeper.ts';
import type { Wishes } from '../run/unmet-flags.ts';
import type {
  ClockOrigin,
  CountersOfProcess,
  LayersOfIteration,
  ObjectsOfProcess,
  TensorsOfProcess,
} from '../threads/messages.ts';
import { noteJob } from '../workload/launch-labels.ts';
import { agentClock } from './agent-clock.ts';
import { CounterDesk } from './counter-intake.ts';
import { type AgentChoice, shutOut } from './injection.ts';
import { LayerDesk } from './layer-intake.ts';
import type { MarkDesk } from './mark-intake.ts';
import { SizeDesk } from './size-intake.ts';
import { SurveyDesk } from './survey-intake.ts';

/** A program that sends nonsense must not fill run.json. */
const MOST_WARNINGS = 20;
const MOST_SNAPSHOTS = 1000;

export interface AgentNews {
  readonly marks: MarkDesk;
  readonly keeper: RunKeeper;
  readonly origin: ClockOrigin;
  readonly maxDisk: number;
  readonly wishes: Wishes;
  onLayers(layers: LayersOfIteration): void;
  onCounters(counters: CountersOfProcess): void;
  onTensors(tensors: TensorsOfProcess): void;
  onObjects(objects: ObjectsOfProcess): void;
}

export interface Agents {
  /** The socket's path, for the workload; null where there is none. */
  readonly path: string | null;
  /** Notes who spoke, and why nobody did where that can be known. */
  close(argv: readonly string[], choice: AgentChoice): Promise<void>;
}

/** Programs that carry an agent tell what cannot be seen from outside; most carry none. */
export async function openAgents(news: AgentNews): Promise<Agents> {
  const { marks, keeper, origin, maxDisk, onLayers, onCounters } = news;
  const warned = new Set<string>();
  const onWarning = (text: string) => {
    if (!warned.has(text) && warned.size < MOST_WARNINGS) keeper.warn(text);
    warned.add(text);
  };
  const layers = new LayerDesk(origin, maxDisk, { onLayers, onWarning });
  const counters = new CounterDesk(origin, maxDisk, { onCounters, onWarning });
  const tensors = new SurveyDesk(origin, news.onTensors);
  const objects = new SurveyDesk(origin, news.onObjects);
  const sizes = new SizeDesk();
  const timeOf = agentClock(origin);
  const speakers = new Set<number>();
  const note = (argv: readonly string[], choice: AgentChoice) => {
    const reason = choice === 'off' ? 'not wanted (--agent off)' : shutOut(argv);
    const { sources } = keeper.run;
    if (speakers.size > 0) {
      sources.push({
        id: 'agent',
        ok: true,
        detail: `in ${count(speakers.size, 'process', 'processes')}`,
      });
    } else if (reason) sources.push({ id: 'agent', ok: false, reason });
  };
  try {
    const socket = await AgentSocket.open({
      onHello: (hello) => {
        speakers.add(hello.pid);
        noteJob(keeper.run.labels, hello);
      },
      onMark: (mark, pid, rank) => marks.addAgent(mark, pid, rank),
      onLayers: (message, pid, rank) => {
        news.wishes.sawLayers();
        layers.add(message, pid, rank);
      },
      onCounters: (message, pid, rank) => {
        news.wishes.sawCounters(message.values);
        counters.add(message, pid, rank);
      },
      onTensors: (message, pid, rank) => tensors.add(message, pid, rank),
      onObjects: (message, pid, rank) => objects.add(message, pid, rank),
      onSnapshot: ({ type: _, time, ...rest }, pid, rank) => {
        keeper.run.snapshots ??= [];
        if (keeper.run.snapshots.length < MOST_SNAPSHOTS) {
          keeper.run.snapshots.push({ ...rest, ns: timeOf(time), pid, rank });
        }
      },
      onSizes: (message, pid, rank) => sizes.add(message, pid, rank),
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
