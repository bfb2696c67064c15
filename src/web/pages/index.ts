import Overview from './overview/index.tsx';
import { hasResource, inputsHave, type Page } from './page.ts';

/** The pages, in the order of the tabs. */
export const PAGES: readonly Page[] = [
  {
    id: 'overview',
    title: 'Overview',
    key: 'o',
    needs:
      'a recording, or a file of another tool with memory over time; heaps and logs have pages of their own',
    shows: hasResource('report'),
    // Most begin here: it is there at once, the others when they are first opened.
    load: () => ({ default: Overview }),
  },
  {
    id: 'log',
    title: 'Log',
    key: 'm',
    needs: 'a log of a program that ran out of memory',
    shows: hasResource('crash'),
    load: () => import('./log/index.tsx'),
  },
  {
    id: 'timeline',
    title: 'Timeline',
    key: 't',
    needs: 'memory over time: highwater record -- python train.py',
    shows: hasResource('timeline'),
    load: () => import('./timeline/index.tsx'),
  },
  {
    id: 'map',
    title: 'Allocations',
    key: 'a',
    needs: 'a memory snapshot of PyTorch, which highwater record takes of a program on a GPU',
    shows: hasResource('trace'),
    load: () => import('./map/index.tsx'),
  },
  {
    id: 'flame',
    title: 'Flame graph',
    key: 'f',
    needs:
      'a memory snapshot of PyTorch, which highwater record takes of a program on a GPU, or a heap profile (pprof)',
    shows: hasResource('flame'),
    load: () => import('./flame/index.tsx'),
  },
  {
    id: 'segments',
    title: 'Segments',
    key: 's',
    needs: 'a memory snapshot of PyTorch, which highwater record takes of a program on a GPU',
    shows: hasResource('segments'),
    load: () => import('./segments/index.tsx'),
  },
  {
    id: 'what-if',
    title: 'What if',
    key: 'w',
    needs: 'a memory snapshot of PyTorch, which highwater record takes of a program on a GPU',
    shows: hasResource('what-if'),
    load: () => import('./what-if/index.tsx'),
  },
  {
    id: 'layers',
    title: 'Layers',
    key: 'l',
    needs: 'layers: highwater record --layers -- python train.py',
    shows: hasResource('layers'),
    load: () => import('./layers/index.tsx'),
  },
  {
    id: 'heap',
    title: 'Heap',
    key: 'h',
    needs: 'a heap: highwater record --heap 3 -- python train.py, or a .heapsnapshot',
    shows: hasResource('heap'),
    load: () => import('./heap/index.tsx'),
  },
  {
    id: 'ranks',
    title: 'Ranks',
    key: 'r',
    needs:
      'a job of several ranks: highwater record -- torchrun …, or the folder of its recordings',
    shows: hasResource('ranks'),
    load: () => import('./ranks/index.tsx'),
  },
  {
    id: 'job',
    title: 'Job',
    key: 'j',
    needs: 'the folder of a job of more than 64 ranks, each with a recording of its own',
    shows: hasResource('job'),
    load: () => import('./job/index.tsx'),
  },
  {
    id: 'compare',
    title: 'Compare',
    key: 'c',
    needs: 'two or more inputs: highwater view before.hw after.hw',
    shows: (inputs) => inputsHave('compare')(inputs) || inputsHave('sweep')(inputs),
    load: () => import('./compare/index.tsx'),
  },
];
