import type { Holdings } from './holdings.ts';

/** What the allocator of one rank held at its peak, device by device. */
export interface RankTrace {
  readonly rank: number;
  readonly devices: readonly {
    readonly categories: readonly { readonly category: string; readonly bytes: number }[];
    readonly topTags: readonly { readonly tag: string; readonly bytes: number }[];
    readonly topStacks: readonly {
      readonly where: string;
      readonly stack: number | null;
      readonly bytes: number;
    }[];
  }[];
}

/** Adds what each rank's allocator held at its peak: by category, by layer, by place in the program. */
export function addTraces(held: Holdings, traces: readonly RankTrace[]): void {
  for (const { rank, devices } of traces) {
    const mine = held.get(rank) ?? new Map<string, number>();
    held.set(rank, mine);
    const note = (what: string, bytes: number) => mine.set(what, (mine.get(what) ?? 0) + bytes);
    for (const { categories, topTags, topStacks } of devices) {
      for (const { category, bytes } of categories) {
        note(`on the GPU, ${category.replaceAll('_', ' ')}`, bytes);
      }
      for (const { tag, bytes } of topTags) note(`on the GPU, made in ${withoutWhen(tag)}`, bytes);
      for (const { where, stack, bytes } of topStacks) {
        if (stack !== null) note(`on the GPU, made at ${where}`, bytes);
      }
    }
  }
}

/** Ranks are at their peaks in different iterations. */
const withoutWhen = (tag: string) => tag.replace(/ \(iterations? [\d–]+\)$/, '');
