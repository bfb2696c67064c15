import { harmless } from '../../base/text.ts';

/**
 * All that the command line says goes through here: names of processes, marks, files and errors are other people's,
 * and none of them may steer a terminal.
 */
export const show = (text: string): boolean => process.stdout.write(harmless(text));

/** The same for what is said beside the answer. */
export const tell = (text: string): boolean => process.stderr.write(harmless(text));
