import type { Report } from '../../../analyses/report.ts';
import type { TimelineMark } from '../../../analyses/timeline.ts';
import { lastMarks } from '../../../model/last-marks.ts';
import { marksWords } from '../../../views/chart/peak-words.ts';
import type { Door } from '../../../views/report/doors.ts';
import { reportTiles } from '../../../views/report/page.ts';
import type { Tile } from '../../../views/report/section.ts';
import { hrefOf } from '../../address.ts';

interface Props {
  readonly report: Report;
  readonly marks: readonly TimelineMark[];
  readonly live: boolean;
  readonly doors: readonly Door[];
  /** The one that is open. */
  readonly open: string | undefined;
}

/** The figures that most people came for, each a door to what stands behind it. */
export function FactTiles({ report, marks, live, doors, open }: Props) {
  const iterationAt = (at: number) => marksWords(lastMarks(marks, at));
  return (
    <ul class="facts" aria-label="At a glance">
      {reportTiles(report, { iterationAt, live }).map((tile) => (
        <li key={tile.title}>
          <TileDoor
            tile={tile}
            isDoor={doors.some(({ id }) => id === tile.opens)}
            isOpen={tile.opens === open}
          />
        </li>
      ))}
    </ul>
  );
}

/** More than a figure: set smaller, on two lines. */
const LONG = 18;

function TileDoor({ tile, isDoor, isOpen }: { tile: Tile; isDoor: boolean; isOpen: boolean }) {
  const { title, value, detail, tone, bytes, opens } = tile;
  const body = (
    <>
      <span class="fact-title">{title}</span>
      <span
        class={value.length > LONG ? 'fact-value words' : 'fact-value'}
        title={bytes === undefined ? value.slice(0, 500) : `${bytes.toLocaleString('en-US')} bytes`}
        data-bytes={bytes}
      >
        <bdi>{value.slice(0, 200)}</bdi>
      </span>
      <span class="fact-detail" title={detail.slice(0, 1000)}>
        {detail.slice(0, 400)}
      </span>
    </>
  );
  if (!isDoor) return <div class={`fact ${tone}`}>{body}</div>;
  // The door that is open closes again.
  const href = hrefOf('overview', { show: isOpen ? null : opens });
  return (
    <a class={`fact door ${tone}`} href={href} aria-expanded={isOpen} data-door={opens}>
      {body}
    </a>
  );
}
