import '../tables.css';
import './job.css';
import { verdictSentence } from '../../../model/verdict.ts';
import { heatColors } from '../../../views/chart/palette.ts';
import { aboutLines, MEASURE_WORDS, outlierLines } from '../../../views/job/job.ts';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';
import { HeatMapView } from './heat-map.tsx';
import { NEARLY_FULL, type RankMap, SORTS, type Sort } from './picture.ts';

/** A job of very many ranks: the answer, all of them over time, and those that stand out. */
export default function JobPage(props: PageProps) {
  const fetched = useResource<RankMap>(`run/${props.run.id}/job`);
  return (
    <Awaited what="ranks" fetched={fetched}>
      {(map) => <WholeJob {...props} map={map} />}
    </Awaited>
  );
}

function WholeJob({ map, state, setState }: PageProps & { map: RankMap }) {
  const { job, measure } = map.header;
  const sort: Sort =
    state.sort !== undefined && state.sort in SORTS ? (state.sort as Sort) : 'rank';
  const outliers = outlierLines(job);
  return (
    <div class="job-page ranks-page">
      <h1 class="headline" data-test="job-headline">
        {verdictSentence(job.verdict)}
      </h1>
      <div class="row">
        <label>
          rows by{' '}
          <select
            value={sort}
            onChange={(event) =>
              setState({ sort: event.currentTarget.value, first: null, last: null })
            }
          >
            {Object.entries(SORTS).map(([id, words]) => (
              <option key={id} value={id}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Legend what={measure === 'memory' ? 'limit' : 'card'} />
      </div>
      <div class="heat-beside">
        <HeatMapView map={map} sort={sort} state={state} setState={setState} />
        <section class="heat-outliers">
          <h2>Who stands out</h2>
          {outliers.length === 0 ? (
            <p class="muted">None of the ranks stands out by its {MEASURE_WORDS[measure]}.</p>
          ) : (
            <ul data-test="job-outliers">
              {outliers.map((line) => (
                <li key={line} class={line.startsWith('    ') ? 'more' : ''}>
                  {line.trim()}
                </li>
              ))}
            </ul>
          )}
        </section>
      </div>
      <section>
        <h2>The job</h2>
        <table class="job-facts">
          <tbody>
            {aboutLines(job).map(([name, text]) => (
              <tr key={name + text}>
                <th scope="row">{name}</th>
                <td>
                  <bdi>{text}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {job.warnings.map((text) => (
          <p key={text} class="muted">
            {text}
          </p>
        ))}
      </section>
    </div>
  );
}

/** What a colour means: in one hue, the fuller the further from the ground. */
function Legend({ what }: { readonly what: string }) {
  const colors = theme.value;
  const stops = heatColors(colors, 16).map((parts) => `rgb(${parts.join(',')})`);
  return (
    <span class="heat-legend">
      <span>0 %</span>
      <span
        class="heat-scale"
        style={{ background: `linear-gradient(90deg, ${stops.join(',')})` }}
      />
      <span>{`100 % of its ${what}`}</span>
      <span class="heat-scale heat-full" style={{ background: colors.alarm }} />
      <span>{`${NEARLY_FULL * 100} % or more`}</span>
    </span>
  );
}
