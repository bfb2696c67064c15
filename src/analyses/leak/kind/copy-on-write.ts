import { figures } from './evidence.ts';
import { type KindRule, MAIN_CAUSE } from './rule.ts';

/** Forked processes that write to pages they shared: no process gets larger, but less is shared. */
export const copyOnWrite: KindRule = {
  kind: 'copy-on-write',
  find(breakdown) {
    const { suspect, rates, program } = breakdown;
    // What counts each page once, and what each process has by itself: what it takes grows both, unsharing parts them.
    const [once, each] =
      suspect.measure === 'cgroup-held' ? ['group.anon', 'anon'] : ['pss', 'rss'];
    const [all, own] = [rates.get(once!), rates.get(each!)];
    const several = (suspect.members ?? 2) > 1;
    const counted = suspect.measure === 'PSS' || suspect.measure === 'cgroup-held';
    if (!counted || !several || all === undefined || own === undefined) return null;
    if (all < MAIN_CAUSE * breakdown.growth || all - own < MAIN_CAUSE * all) return null;
    return {
      name: 'pages shared since the fork, copied when written to',
      where: null,
      evidence: figures(breakdown),
      advice: [
        `each look at a Python object writes its reference count, which copies the page: keep what workers share in ${program.torch ? 'numpy arrays or tensors' : 'numpy arrays'} (one array of texts and offsets in place of a list of str), not in lists and dicts of Python objects`,
        ...(program.torch
          ? [
              'with persistent_workers=True each worker copies at most once; without it, every epoch begins again from shared pages',
            ]
          : []),
        'gc.freeze() before the workers start keeps the collector from touching them, which helps a little',
      ],
    };
  },
};
