import { hasResource, inputsHave, type Page } from './page.ts';

/** The pages, in the order of the tabs. */
export const PAGES: readonly Page[] = [
  {
    id: 'overview',
    title: 'Overview',
    key: 'o',
    shows: hasResource('report'),
    load: () => import('./overview/index.tsx'),
  },
  {
    id: 'timeline',
    title: 'Timeline',
    key: 't',
    shows: hasResource('timeline'),
    load: () => import('./timeline/index.tsx'),
  },
  {
    id: 'map',
    title: 'Allocations',
    key: 'a',
    shows: hasResource('trace'),
    load: () => import('./map/index.tsx'),
  },
  {
    id: 'flame',
    title: 'Flame graph',
    key: 'f',
    shows: hasResource('flame'),
    load: () => import('./flame/index.tsx'),
  },
  {
    id: 'segments',
    title: 'Segments',
    key: 's',
    shows: hasResource('segments'),
    load: () => import('./segments/index.tsx'),
  },
  {
    id: 'what-if',
    title: 'What if',
    key: 'w',
    shows: hasResource('what-if'),
    load: () => import('./what-if/index.tsx'),
  },
  {
    id: 'layers',
    title: 'Layers',
    key: 'l',
    shows: hasResource('layers'),
    load: () => import('./layers/index.tsx'),
  },
  {
    id: 'heap',
    title: 'Heap',
    key: 'h',
    shows: hasResource('heap'),
    load: () => import('./heap/index.tsx'),
  },
  {
    id: 'ranks',
    title: 'Ranks',
    key: 'r',
    shows: hasResource('ranks'),
    load: () => import('./ranks/index.tsx'),
  },
  {
    id: 'compare',
    title: 'Compare',
    key: 'c',
    shows: (inputs) => inputsHave('compare')(inputs) || inputsHave('sweep')(inputs),
    load: () => import('./compare/index.tsx'),
  },
];
