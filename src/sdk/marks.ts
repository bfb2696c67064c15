import { agent } from './agent.ts';

/** Marks: named moments of a program, on the clock that the recorder samples by. */

interface Details {
  readonly epoch?: number;
  readonly value?: number;
}

function send(kind: string, name: string, details: { iteration?: number } & Details = {}): void {
  agent.send({
    type: 'mark',
    time: Number(process.hrtime.bigint()),
    kind,
    name,
    epoch: details.epoch ?? null,
    iteration: details.iteration ?? null,
    value: Number.isFinite(details.value) ? details.value : null,
  });
}

/** A moment worth remembering. */
export function mark(name: string): void {
  send('note', name);
}

/** An epoch begins. */
export function epoch(number: number): void {
  send('epoch', '', { epoch: number });
}

/** An iteration is done; `value` is a figure that goes with it, such as the loss. */
export function iteration(number: number, details: Details = {}): void {
  send('iteration', '', { ...details, iteration: number });
}

/** Runs a stretch of work between a mark of its name and one of `/name`. */
export function phase<T>(name: string, work: () => T): T {
  send('phase', name);
  const end = () => send('phase', `/${name}`);
  let result: T;
  try {
    result = work();
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) return result.finally(end) as T;
  end();
  return result;
}
