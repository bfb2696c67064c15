import { SECOND_NS } from '../../base/time.ts';
import { withGaps } from '../../model/gaps.ts';
import type { Recording } from '../../model/recording.ts';
import { series, seriesNames } from '../../model/series.ts';
import type { TimelinePanel } from './panel.ts';
import { panelCurve } from './panel-curve.ts';
import type { PanelSource } from './source.ts';

/** Which series share a panel, and in which order panels stand. */
const GROUPS: readonly { id: RegExp; title: (id: string) => string }[] = [
  { id: /^gpu\d+$/, title: (id) => `GPU ${id.slice(3)}` },
  { id: /^torch\d+$/, title: (id) => `PyTorch's allocator on device ${id.slice(5)}` },
  { id: /^tree$/, title: () => 'Process tree' },
  { id: /^malloc$/, title: () => 'malloc' },
  { id: /^pinned$/, title: () => 'Pinned host memory' },
  { id: /^host$/, title: () => 'Whole machine' },
];

/** The control group is what the tree's memory is counted by, so that it stands with it. */
const panelName = (name: string) => (name.startsWith('cgroup.') ? 'tree' : name.split('.')[0]!);

/** Every series that the recording has values for, those of one thing together. */
export function seriesSources(recording: Recording, zero: number): PanelSource[] {
  const byPanel = new Map<string, PanelSource['lines'][number][]>();
  for (const name of seriesNames(recording)) {
    const found = series(recording, name)!;
    // Swap that was never used is no news.
    if (!found.values.some((bytes) => bytes > 0)) continue;
    const { times, values } = withGaps(found);
    const seconds = times.map((ns) => (ns - zero) / SECOND_NS);
    const lines = byPanel.get(panelName(name)) ?? [];
    // The label is the view's: a name says what it is.
    lines.push({ series: name, label: name, curve: panelCurve(seconds, values) });
    byPanel.set(panelName(name), lines);
  }
  const place = (id: string) => GROUPS.findIndex((group) => group.id.test(id));
  return [...byPanel]
    .sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1))
    .map(([id, lines]) => ({
      id,
      title: GROUPS[place(id)]?.title(id) ?? id,
      steps: false,
      limit: limitOf(recording, id),
      lines,
      stack: null,
    }));
}

function limitOf({ run }: Recording, id: string): TimelinePanel['limit'] {
  const gpu = /^gpu(\d+)$/.exec(id);
  const card = gpu && run.gpus.find(({ index }) => index === Number(gpu[1]));
  if (card?.memoryBytes) return { label: 'memory of the card', bytes: card.memoryBytes };
  const memory = id === 'host' ? run.host.memoryBytes : null;
  return memory ? { label: 'memory of the machine', bytes: memory } : null;
}
