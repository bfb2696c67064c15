import type { Started } from '../command.ts';
import type { ProgramCommand } from '../programs.ts';

/** Installs what the program is part of, once, and says how it is started. */
export function publicCommand(command: ProgramCommand & { kind: 'public' }): Started {
  return { absent: `${command.package} is not installed` };
}
