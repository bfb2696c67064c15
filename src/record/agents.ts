import { describeError } from '../base/errors.ts';
import { AgentSocket } from '../sources/agent/socket.ts';
import { LayerDesk } from './layer-desk.ts';
import type { MarkDesk } from './mark-desk.ts';
import type { ClockOrigin, LayersOfIteration } from './messages.ts';
import type { RunKeeper } from './run-keeper.ts';

/** A program that sends nonsense must not fill run.json. */
const MOST_WARNINGS = 20;

export interface AgentNews {
  readonly marks: MarkDesk;
  readonly keeper: RunKeeper;
  readonly origin: ClockOrigin;
  readonly maxDisk: number;
  onLayers(layers: LayersOfIteration): void;
}

/** Programs that carry an agent tell what cannot be seen from outside; most carry none. */
export async function openAgentSocket(news: AgentNews): Promise<AgentSocket | null> {
  const { marks, keeper, origin, maxDisk, onLayers } = news;
  const warned = new Set<string>();
  const onWarning = (text: string) => {
    if (!warned.has(text) && warned.size < MOST_WARNINGS) keeper.warn(text);
    warned.add(text);
  };
  const layers = new LayerDesk(origin, maxDisk, { onLayers, onWarning });
  try {
    return await AgentSocket.open({
      onMark: (mark, pid, rank) => marks.addAgent(mark, pid, rank),
      onLayers: (message, pid, rank) => layers.add(message, pid, rank),
      onWarning,
    });
  } catch (error) {
    keeper.warn(`no socket for agents: ${describeError(error)}`);
    return null;
  }
}
