import type { Report } from '../../analyses/report.ts';
import { deviceHolders, hostHolders } from './holders.ts';
import type { Passage, TextLayout } from './section.ts';
import { sectionsOf } from './sections.ts';

/** What a card of the page opens: one question with the report's own passages, in the report's order. */
export interface Door {
  /** In the address: `show=leak`. */
  readonly id: string;
  readonly title: string;
  readonly passages: readonly Passage[];
}

/** A page scrolls: nothing is shortened but what nobody reads. */
const PAGE: TextLayout = { width: 320, processes: 20, commandWidth: 160, indent: '' };

const TITLES: Readonly<Record<string, string>> = {
  'device-peak': 'Peak of the device',
  'host-peak': 'Peak of the host',
  oom: 'Out of memory',
  leak: 'Leak',
};

/** What the page says before the passages of a door: the largest holders, of which the passages tell all. */
const FIRST: Readonly<Record<string, (report: Report) => readonly Passage[]>> = {
  'device-peak': deviceHolders,
  'host-peak': hostHolders,
};

/** All that a report says, by question; a door without anything behind it is left out. */
export function reportDoors(report: Report): Door[] {
  const sections = sectionsOf(report);
  const told = sections.flatMap(({ id, passages }) =>
    passages(report, PAGE)
      .map(withContent)
      .filter(({ blocks }) => blocks.length > 0)
      .map((passage) => ({ about: passage.about ?? id, section: id, passage })),
  );
  const ids = sections.flatMap(({ id }) => [
    ...told.filter(({ section }) => section === id).map(({ about }) => about),
    ...(id in FIRST ? [id] : []),
  ]);
  return [...new Set(ids)]
    .map((id): Door => {
      const own = told.filter(({ about }) => about === id).map(({ passage }) => passage);
      const first = FIRST[id]?.(report) ?? [];
      return { id, title: TITLES[id] ?? own[0]?.title ?? id, passages: [...first, ...own] };
    })
    .filter(({ passages }) => passages.length > 0);
}

const withContent = (passage: Passage): Passage => ({
  ...passage,
  blocks: passage.blocks.filter((block) => {
    if ('lines' in block) return block.lines.length > 0;
    if ('facts' in block) return block.facts.length > 0;
    return 'sentence' in block || block.table.body.length > 0;
  }),
});
