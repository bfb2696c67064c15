import { agent } from '../agent.ts';
import { allsizes } from './account.ts';

const SCHEDULED = Symbol.for('highwater.sizes');
type Global = { [SCHEDULED]?: true };

/**
 * Sizes at a moment that was named before the program began: HIGHWATER_SIZES is `exit` or `iteration=5`
 * (`highwater sizes -- cmd`). Without it nothing is done.
 */
export function scheduleSizes(): void {
  const wanted = process.env.HIGHWATER_SIZES;
  if (!wanted || !process.env.HIGHWATER_SOCKET) return;
  const number = /^iteration=(\d+)$/.exec(wanted)?.[1];
  if (number !== undefined) atIteration(Number(number));
  else if (wanted === 'exit') atExit();
}

function atExit(): void {
  // The package may be there twice: the program's own, and the one that `highwater sizes` loads.
  if ((globalThis as Global)[SCHEDULED]) return;
  (globalThis as Global)[SCHEDULED] = true;
  // Before the agent's own, which says goodbye. A program that calls process.exit tells nothing.
  process.prependOnceListener('beforeExit', () => send('exit'));
}

function atIteration(number: number): void {
  agent.onMessage = (message) => {
    const { type, kind, iteration } = message as {
      type: string;
      kind?: string;
      iteration?: number;
    };
    if (type !== 'mark' || kind !== 'iteration' || !((iteration ?? -1) >= number)) return;
    agent.onMessage = null;
    send(`iteration ${iteration}`);
  };
}

function send(at: string): void {
  const time = Number(process.hrtime.bigint());
  try {
    agent.send({ type: 'sizes', time, at, value: allsizes() });
  } catch (error) {
    agent.send({ type: 'warning', text: `sizes at ${at}: ${error}` });
  }
}
