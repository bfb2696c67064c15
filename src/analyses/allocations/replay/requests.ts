import type { Program } from './program.ts';

/** What a replay needs of a program, and no more: for a thread of its own it is copied. */
export interface Requests
  extends Pick<
    Program,
    'events' | 'ops' | 'rows' | 'domainOf' | 'domains' | 'start' | 'driver' | 'oomDomains'
  > {
  readonly life: Pick<Program['life'], 'count' | 'size'>;
  readonly trace: Pick<Program['trace'], 'ooms'>;
}

export function requestsOf(program: Program): Requests {
  const { events, ops, rows, domainOf, domains, start, driver, oomDomains } = program;
  const { count, size } = program.life;
  const { ooms } = program.trace;
  const columns = { events, ops, rows, domainOf, domains };
  return { ...columns, start, driver, oomDomains, life: { count, size }, trace: { ooms } };
}

/**
 * What was asked for when memory ran out. Newer versions of torch tell it twice, the second time as the segment that would have
 * been fetched for it: in the same breath, and with as much free.
 */
export function requestOf(ooms: Program['trace']['ooms'], at: number): number {
  return isRepeated(ooms, at) ? ooms[at - 1]!.requested : ooms[at]!.requested;
}

/** Whether it is told for the second time. */
export function isRepeated(ooms: Program['trace']['ooms'], at: number): boolean {
  const [before, now] = [ooms[at - 1], ooms[at]!];
  if (!before || before.event + 1 !== now.event) return false;
  return before.deviceFree === now.deviceFree && before.requested <= now.requested;
}
