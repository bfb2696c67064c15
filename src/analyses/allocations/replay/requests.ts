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
