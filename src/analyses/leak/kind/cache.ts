import { figures } from './evidence.ts';
import { whereOf } from './place.ts';
import { growthInUse, type KindRule, MAIN_CAUSE } from './rule.ts';

/** Tensors kept for requests or sessions, by a container that has more and more of them, where no optimizer runs. */
export const cache: KindRule = {
  kind: 'cache',
  find(breakdown) {
    const { device, per } = breakdown;
    const place = device === null ? 'cpu' : `cuda:${device.slice('torch'.length)}`;
    const here = breakdown.caches.filter((one) => one.cache.device === place);
    const all = here.reduce((sum, { bytesRate }) => sum + bytesRate, 0);
    const [most] = here;
    if (!most || all < MAIN_CAUSE * growthInUse(breakdown)) return null;
    const { container, holder } = most.cache;
    return {
      name: holder || container,
      where: whereOf(holder),
      evidence: [
        ...here.map(({ cache: one, bytesRate }) => ({
          name: `${one.container} of tensors`,
          unit: 'bytes' as const,
          amount: bytesRate,
          per,
          count: one.looks.at(-1)!.entries,
          madeBy: null,
          holder: one.holder || null,
        })),
        ...figures(breakdown),
      ],
      advice: [
        `${container} ${holder} grows as requests come: bound it (evict the least recently used, or what is older than a time), or let go of each entry when its session ends`,
        'a bound that is larger than what it has reached so far looks the same: where it is meant to hold as much, record until it is full',
      ],
    };
  },
};
