import type { InputInfo, InputsInfo } from '../../model/inputs-info.ts';
import { hrefOf } from '../address.ts';
import { PAGES } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';

interface Props {
  readonly inputs: InputsInfo;
  readonly run: InputInfo;
  readonly wanted: string;
  readonly pages: readonly Page[];
}

/** Instead of a page that there is not, or that these inputs have nothing for: why, and where to go on. */
export function NoPage({ inputs, run, wanted, pages }: Props) {
  // It may be of what is still being opened.
  if (inputs.runs.some(({ status }) => status === 'waiting' || status === 'opening')) return null;
  const known = PAGES.find(({ id }) => id === wanted);
  const [home] = pages;
  return (
    <main class="page no-page" data-test="no-page">
      {known ? (
        <>
          <h1 class="headline">
            Nothing for the page {known.title} in <bdi class="name">{run.name.slice(0, 200)}</bdi>.
          </h1>
          <p>It needs {known.needs}.</p>
        </>
      ) : (
        <>
          <h1 class="headline">
            There is no page <bdi class="name">{wanted.slice(0, 80)}</bdi>.
          </h1>
          <p>The address may be of another version of Highwater, or mistyped.</p>
        </>
      )}
      {home && (
        <p>
          <a href={hrefOf(home.id)}>To the {home.title.toLowerCase()}</a>
        </p>
      )}
    </main>
  );
}
