import type { Clues } from './clues.ts';
import { figures, objectEvidence } from './evidence.ts';
import { ABOUT_MOST, FLAT, held, type KindRule, MOST, mostInBlocks, share } from './rule.ts';

/** An object in this many iterations. */
const FEWEST_BLOCKS = 1;
const MOST_SHOWN = 2;
/** A container that grows by less of it than this is beside the point. */
const WORTH_SHOWING = 0.1;

export const pythonObjects: KindRule = {
  kind: 'python-objects',
  find(clues) {
    if (clues.device) return null;
    const large = clues.containers.filter(
      ({ bytesRate }) => bytesRate >= WORTH_SHOWING * clues.growth,
    );
    const inContainers = large.reduce((most, { bytesRate }) => Math.max(most, bytesRate), 0);
    if (inContainers < ABOUT_MOST * held(clues) && !byBlocks(clues)) return null;
    const shown = large.slice(0, MOST_SHOWN);
    const types = shown.length > 0 ? [] : clues.types.slice(0, MOST_SHOWN);
    const [first] = shown;
    return {
      evidence: [
        ...[...shown, ...types].map((one) => objectEvidence(one, clues)),
        ...figures(clues),
      ],
      advice: [
        first?.holder
          ? `${first.name} ${first.holder} grows by ${Math.round(first.countRate)} entries each ${clues.per}: bound it (functools.lru_cache(maxsize=…), collections.deque(maxlen=…)), or clear it each epoch`
          : 'look for a list, dict or cache that each iteration adds to; bound it, or clear it each epoch',
        'results of many iterations: write them to a file, or keep one number of each',
        ...(first ? [] : ['tracemalloc names the line that makes what stays: PYTHONTRACEMALLOC=5']),
      ],
    };
  },
};

/** Many small objects: their memory is no longer asked for from malloc, but in arenas of Python's own. */
function byBlocks(clues: Clues): boolean {
  const blocks = clues.rates.get('python.blocks') ?? 0;
  if (blocks < FEWEST_BLOCKS || mostInBlocks(clues) < MOST * clues.growth) return false;
  const native = share(clues, 'malloc.in_use') + Math.max(0, share(clues, 'malloc.free'));
  return native < 1 - FLAT;
}
