import { type KindRule, MAIN_CAUSE } from './rule.ts';

/** Ever more processes: each is small and does not grow, but none ends. */
export const moreProcesses: KindRule = {
  kind: 'more-processes',
  find({ arrivals: more, grownBytes, per, device, rates }) {
    if (device || !more || !(more.bytes >= MAIN_CAUSE * grownBytes)) return null;
    const amount = rates.get('processes') ?? Number.NaN;
    const name = `processes '${more.role}'`;
    const evidence = { name, unit: 'count', amount, per, count: more.processes } as const;
    return {
      name: `${more.processes} more ${name}`,
      where: null,
      evidence: [{ ...evidence, madeBy: null, holder: null }],
      advice: [
        'wait for the processes that it starts (Popen.wait, Process.join), or end them; one that nobody waits for stays until its parent ends',
        'or use a pool of a fixed size (concurrent.futures, multiprocessing.Pool), which starts them once',
      ],
    };
  },
};
