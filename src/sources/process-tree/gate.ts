/**
 * The shell that becomes the workload (record/workload/workload.ts) bears this name, so that a workload too
 * short for a second look is shown with its own command line and not with the shell's.
 */
export const GATE_NAME = 'highwater-gate';

/** Before the workload's own words: sh, -c, the script, its name, group, terminal, streams. */
const GATE_WORDS = 7;

export function withoutGate(argv: string[]): string[] {
  return argv[3] === GATE_NAME ? argv.slice(GATE_WORDS) : argv;
}
