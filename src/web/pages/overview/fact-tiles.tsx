import type { Report } from '../../../analyses/report.ts';
import type { TimelineMark } from '../../../analyses/timeline.ts';
import { markWords } from '../../../views/chart/timeline/mark-lane.ts';
import { reportTiles } from '../../../views/report/page.ts';

interface Props {
  readonly report: Report;
  readonly marks: readonly TimelineMark[];
  readonly live: boolean;
}

/** The four or five figures that most people came for. */
export function FactTiles({ report, marks, live }: Props) {
  const iterationAt = (at: number) => {
    const last = (wanted: string) =>
      marks.findLast(({ kind, seconds }) => kind === wanted && seconds <= at);
    const [iteration, epoch] = [last('iteration'), last('epoch')];
    const words = [
      ...(iteration ? [`after ${markWords(iteration)}`] : []),
      ...(epoch ? [`in ${markWords(epoch)}`] : []),
    ];
    return words.join(' ').slice(0, 80);
  };
  return (
    <dl class="facts">
      {reportTiles(report, { iterationAt, live }).map(({ title, value, detail, tone, bytes }) => (
        <div key={title} class={`fact ${tone}`}>
          <dt>{title}</dt>
          <dd
            class="fact-value"
            title={
              bytes === undefined ? value.slice(0, 500) : `${bytes.toLocaleString('en-US')} bytes`
            }
            data-bytes={bytes}
          >
            <bdi>{value.slice(0, 200)}</bdi>
          </dd>
          <dd class="fact-detail" title={detail.slice(0, 1000)}>
            {detail.slice(0, 400)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
