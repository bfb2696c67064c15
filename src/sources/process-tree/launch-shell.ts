/**
 * The shell that becomes the workload (record/workload/workload.ts) bears this name, so that a workload too
 * short for a second look is shown with its own command line and not with the shell's.
 */
export const LAUNCH_SHELL_NAME = 'highwater-gate';

/** Before the workload's own words: sh, -c, the script, its name, group, terminal, streams. */
const LAUNCH_SHELL_WORDS = 7;

export function withoutLaunchShell(argv: string[]): string[] {
  return argv[3] === LAUNCH_SHELL_NAME ? argv.slice(LAUNCH_SHELL_WORDS) : argv;
}
