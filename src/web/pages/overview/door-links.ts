import type { Report } from '../../../analyses/report.ts';
import type { InputInfo } from '../../../model/inputs-info.ts';
import type { StatePatch } from '../../address.ts';

/** Another page that tells more of an answer. */
export interface DoorLink {
  readonly page: string;
  readonly state: StatePatch;
  readonly words: string;
}

/** Pages that this run has, at the moment that the answer is about. Those of allocations open at the peak by themselves. */
export function doorLinks(
  door: string,
  run: InputInfo,
  report: Report,
  moment: number | null,
): DoorLink[] {
  const has = (resource: string) => run.resources.includes(resource);
  const link = (page: string, resource: string, words: string, state: StatePatch = {}) =>
    has(resource) ? [{ page, state, words }] : [];
  const at = moment === null ? {} : { a: Number(moment.toPrecision(12)) };
  const timeline = link(
    'timeline',
    'timeline',
    moment === null ? 'Timeline' : 'Timeline at that moment',
    at,
  );
  const peak = [
    ...link('map', 'trace', 'Allocations'),
    ...link('flame', 'flame', 'Flame graph at the peak'),
    ...link('segments', 'segments', 'Segments at the peak'),
  ];
  switch (door) {
    case 'device-peak':
      return [...timeline, ...peak];
    case 'host-peak':
      return [...timeline, ...link('heap', 'heap', 'Heap'), ...link('layers', 'layers', 'Layers')];
    case 'leak':
      return [
        ...timeline,
        ...link('heap', 'heap', 'Heap'),
        ...link('layers', 'layers', 'Layers'),
        ...(report.devices.some(({ leak }) => leak.verdict === 'leak') ? peak.slice(0, 2) : []),
      ];
    case 'oom':
      return [
        ...link('what-if', 'what-if', 'What if: other settings, another card'),
        ...timeline,
        ...peak,
      ];
    case 'ending':
      return timeline;
    case 'ranks':
      return link('ranks', 'ranks', 'Ranks side by side');
    case 'layers':
      return link('layers', 'layers', 'Layers, iteration by iteration');
    default:
      return [];
  }
}
