/** memray's numbers of what was called, and what it is to us: Python's own allocator, malloc and its kin, a mapping. */
export type Call = 'made' | 'freed' | 'mapped' | 'unmapped';

interface Allocator {
  readonly call: Call;
  readonly kind: string;
}

const PYMALLOC = 'pymalloc';
const ALLOCATORS: ReadonlyMap<number, Allocator> = new Map([
  [1, { call: 'freed', kind: PYMALLOC }],
  ...[2, 3, 4].map((id): [number, Allocator] => [id, { call: 'made', kind: PYMALLOC }]),
  [5, { call: 'freed', kind: 'malloc' }],
  ...[6, 7, 8, 9, 10, 11, 12, 13].map((id): [number, Allocator] => [
    id,
    { call: 'made', kind: 'malloc' },
  ]),
  [14, { call: 'mapped', kind: 'mmap' }],
  [15, { call: 'unmapped', kind: 'mmap' }],
]);

export const allocatorOf = (id: number): Allocator | undefined => ALLOCATORS.get(id);
