import { resolve } from 'node:path';
import { expect } from 'vitest';
import { type Report, report } from '../../src/analyses/report.ts';
import { highwater, open, place } from '../support/recorder.ts';

export type Leak = Report['leak'];

/** No shelves: they are for what is left behind, take two seconds, and look at the whole machine. */
export const SHORT: readonly string[] = ['--before', '0', '--after', '0'];

export const workload = (name: string): string => resolve(`test/leak/workloads/${name}`);

/** Records a command as a user would. */
export async function record(
  argv: readonly string[],
  flags: readonly string[] = [],
): Promise<string> {
  const out = place();
  const { code, stderr } = await highwater(['record', '-q', '-o', out, ...flags, '--', ...argv]);
  expect(code, stderr).toBe(0);
  return out;
}

export const verdictOf = (folder: string): Leak => report(open(folder)).leak;

export async function leakOf(argv: readonly string[], flags?: readonly string[]): Promise<Leak> {
  return verdictOf(await record(argv, flags));
}

export const figure = (leak: Leak, name: string) =>
  leak.evidence.find((one) => one.name.startsWith(name));
