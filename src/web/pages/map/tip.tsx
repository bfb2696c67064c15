import type { MapHeader } from '../../../analyses/allocations/map/index.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { ellipsize } from '../../../base/text.ts';
import { kindName } from '../../../model/memory-kinds.ts';
import { MARGIN } from './axes.tsx';
import type { HitFacts } from './client.ts';
import type { RowFacts } from './picture/row-facts.ts';
import { formatMicros } from './words.ts';

interface Props {
  readonly found: HitFacts;
  readonly at: { x: number; y: number };
  readonly plot: { width: number; height: number };
  readonly header: MapHeader;
}

/** What lies under the pointer, in a few words. */
export function MapTip({ found: { hit, facts }, at, plot, header }: Props) {
  const right = at.x > plot.width / 2;
  const low = at.y > plot.height / 2;
  const place = {
    ...(right
      ? { right: `${plot.width - at.x + MARGIN.right + 14}px` }
      : { left: `${at.x + MARGIN.left + 14}px` }),
    ...(low
      ? { bottom: `${plot.height - at.y + MARGIN.bottom + 10}px` }
      : { top: `${at.y + MARGIN.top + 10}px` }),
  };
  return (
    <div class="map-tip" style={place}>
      {facts ? (
        <>
          <strong>{formatBytes(facts.bytes)}</strong> {kindName(facts.category)}
          {facts.tag && <> · {ellipsize(facts.tag, 60)}</>}
          <div>
            <bdi>{ellipsize(facts.where, 90)}</bdi>
          </div>
          <div class="muted">{lifeWords(facts)}</div>
        </>
      ) : (
        <div class="muted">nothing here</div>
      )}
      <div class="muted">
        event {(header.firstEvent + hit.event).toLocaleString('en')}: {formatBytes(hit.liveBytes)}{' '}
        live
      </div>
    </div>
  );
}

export function lifeWords(facts: RowFacts): string {
  if (facts.startEvent === null) {
    return facts.endEvent === null
      ? 'there before the trace and after it'
      : 'there before the trace';
  }
  if (facts.endEvent === null) return 'still there at the end';
  if (facts.startMicros !== null && facts.endMicros !== null) {
    return `lived ${formatMicros(facts.endMicros - facts.startMicros)}`;
  }
  return `lived ${(facts.endEvent - facts.startEvent).toLocaleString('en')} events`;
}
