import type { Replayed, ReplayOptions } from './replayed.ts';
import type { Requests } from './requests.ts';
import { Simulation } from './simulation.ts';

/** Told how many of the program's events are done, now and then. */
export type Progress = (events: number) => void;

/** Parts of a program after each of which its progress is told. */
const PARTS = 100;

/** Replays a program's requests through the allocator's rules. */
export function replay(
  program: Requests,
  options: ReplayOptions,
  progress: Progress = () => {},
): Replayed {
  const simulation = Simulation.begin(program, options);
  goOn(simulation, program.events, progress);
  return simulation.replayed();
}

/** From where it stands to its end. */
export function goOn(simulation: Simulation, events: number, progress: Progress): void {
  const part = Math.ceil(events / PARTS);
  while (!simulation.isOver) {
    simulation.advance(simulation.next + part);
    progress(simulation.next);
  }
}
