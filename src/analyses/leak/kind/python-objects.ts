import { figures, objectEvidence } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';
import type { ObjectGrowth } from './object-growth.ts';
import { whereOf } from './place.ts';
import {
  ESTIMATED_CAUSE,
  FLAT,
  growthInUse,
  type KindFinding,
  type KindRule,
  MAIN_CAUSE,
  mostInBlocks,
  share,
} from './rule.ts';

/** New blocks per iteration: fewer are no leak of objects. */
const FEWEST_NEW_BLOCKS = 1;
const MOST_SHOWN = 2;
/** A container that explains less of the growth than this is not shown. */
const WORTH_SHOWING = 0.1;

export const pythonObjects: KindRule = {
  kind: 'python-objects',
  find(breakdown) {
    if (breakdown.device) return null;
    const large = breakdown.containers.filter(
      ({ bytesRate }) => bytesRate >= WORTH_SHOWING * breakdown.growth,
    );
    const inContainers = large.reduce((most, { bytesRate }) => Math.max(most, bytesRate), 0);
    if (inContainers < ESTIMATED_CAUSE * growthInUse(breakdown) && !byBlocks(breakdown))
      return null;
    const shown = large.slice(0, MOST_SHOWN);
    const types = shown.length > 0 ? [] : breakdown.types.slice(0, MOST_SHOWN);
    const [first] = shown;
    return {
      ...named(first ?? types[0]),
      evidence: [
        ...[...shown, ...types].map((one) => objectEvidence(one, breakdown)),
        ...figures(breakdown),
      ],
      advice: [
        first?.holder
          ? `${first.name} ${first.holder} grows by ${Math.round(first.countRate)} entries each ${breakdown.per}: bound it (functools.lru_cache(maxsize=…), collections.deque(maxlen=…)), or clear it each epoch`
          : 'look for a list, dict or cache that each iteration adds to; bound it, or clear it each epoch',
        'results of many iterations: write them to a file, or keep one number of each',
        ...(first ? [] : ['tracemalloc names the line that makes what stays: PYTHONTRACEMALLOC=5']),
      ],
    };
  },
};

function named(one: ObjectGrowth | undefined): Pick<KindFinding, 'name' | 'where'> {
  if (!one) return { name: "Python's small objects", where: null };
  if (one.kind === 'type') return { name: `objects of type ${one.name}`, where: null };
  const held = one.holder ? ` in ${one.holder}` : one.of && ` with ${one.of} in it`;
  return { name: `${one.name} of ${one.count}${held}`, where: whereOf(one.holder) };
}

/** Many small objects: their memory is no longer asked for from malloc, but in arenas of Python's own. */
function byBlocks(breakdown: GrowthBreakdown): boolean {
  const blocks = breakdown.rates.get('python.blocks') ?? 0;
  if (blocks < FEWEST_NEW_BLOCKS || mostInBlocks(breakdown) < MAIN_CAUSE * breakdown.growth)
    return false;
  const native = share(breakdown, 'malloc.in_use') + Math.max(0, share(breakdown, 'malloc.free'));
  return native < 1 - FLAT;
}
