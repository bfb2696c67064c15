import type { Report } from '../../../analyses/report.ts';
import type { InputInfo } from '../../../model/inputs-info.ts';
import { hrefOf } from '../../address.ts';
import { type Door as PageLink, doorsOf as pagesOf } from '../../parts/doors.ts';
import type { Curve } from './door-moment.ts';

/** Pages that tell more of an answer, at the moment that it is about. */
export function doorLinks(
  door: string,
  run: InputInfo,
  report: Report,
  curve: Curve | null,
): PageLink[] {
  const link = (page: string, words: string, resource = page): PageLink[] =>
    run.resources.includes(resource) ? [{ words, href: hrefOf(page) }] : [];
  const allocations = [
    ...link('map', 'Allocations', 'trace'),
    ...link('flame', 'Flame graph'),
    ...link('segments', 'Segments'),
  ];
  // A card's curve may not know its trace: these pages open at its peak by themselves.
  const withAllocations = (links: PageLink[]) => [
    ...links,
    ...allocations.filter(({ words }) => links.every((one) => one.words !== words)),
  ];
  const isTraceLeak = report.devices.some(({ leak }) => leak.verdict === 'leak');
  switch (door) {
    case 'device-peak':
      return withAllocations(thenPages(run, curve));
    case 'host-peak':
      return [...thenPages(run, curve), ...link('layers', 'Layers')];
    case 'oom':
      return [...link('what-if', 'What if'), ...withAllocations(thenPages(run, curve))];
    case 'leak':
      return [
        ...link('timeline', 'Timeline'),
        ...link('heap', 'Heap'),
        ...link('layers', 'Layers'),
        ...(isTraceLeak ? allocations : []),
      ];
    case 'ending':
      return link('timeline', 'Timeline');
    case 'ranks':
    case 'layers':
      return link(door, door === 'ranks' ? 'Ranks' : 'Layers');
    default:
      return [];
  }
}

/** Those that can show what was held at the curve's own moment. */
function thenPages(run: InputInfo, curve: Curve | null): PageLink[] {
  const moment = curve?.moment ?? null;
  if (!curve || moment === null) return [];
  const { panels } = curve;
  const peak = panels.panels[0]!.peak;
  const clock = panels.clock === 'event' ? panels.clock : undefined;
  return pagesOf(run, {
    events: peak?.events ?? [],
    heap: peak?.heap ?? null,
    on: { clock, x: moment, span: panels.span },
  });
}
