import { useEffect } from 'preact/hooks';
import type { InputInfo, InputsInfo } from '../../model/inputs-info.ts';
import { address, openPage, setState } from '../address.ts';
import { PAGES } from '../pages/index.ts';
import type { Page } from '../pages/page.ts';
import { ErrorBox, ProgressBar } from '../parts/waiting.tsx';
import { store } from '../store.ts';
import { Inputs } from './inputs.tsx';
import { PageFrame } from './page-frame.tsx';
import { TopBar } from './top-bar.tsx';

/** The frame around every page: which run, which page, and what could not be opened. */
export function App() {
  const inputs = store.inputs.value;
  const failure = store.failure.value;
  if (!inputs) {
    return (
      <main class="alone">
        {failure ? (
          <ErrorBox title="No data." text={failure} />
        ) : (
          <ProgressBar label="Asking for the recording …" />
        )}
      </main>
    );
  }
  return <OpenedInputs inputs={inputs} failure={failure} />;
}

function OpenedInputs({ inputs, failure }: { inputs: InputsInfo; failure: string | null }) {
  const { page: wanted, state } = address.value;
  const run = chosen(inputs, state.run);
  const pages = run ? PAGES.filter((page) => page.shows(inputs, run)) : [];
  const page = pages.find(({ id }) => id === wanted) ?? pages[0];
  useKeys(pages);
  useEffect(() => {
    document.title = run ? `${run.name} · Highwater` : 'Highwater';
  }, [run?.name]);
  return (
    <div class="app">
      <TopBar inputs={inputs} run={run} pages={pages} page={page} />
      <Inputs inputs={inputs} run={run} failure={failure} />
      {run && page && (
        <PageFrame key={page.id} page={page} props={{ inputs, run, state, setState }} />
      )}
    </div>
  );
}

/** The run in the address, or the first that is open. */
function chosen(inputs: InputsInfo, id: string | undefined): InputInfo | undefined {
  const open = inputs.runs.filter(({ status }) => status === 'open');
  return open.find((run) => run.id === id) ?? open[0];
}

/** A letter opens a page, unless the reader is writing something. */
function useKeys(pages: readonly Page[]): void {
  const ids = pages.map(({ id }) => id).join();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const writing = (event.target as HTMLElement).closest?.('input, select, textarea');
      if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
      const page = pages.find(({ key }) => key === event.key);
      if (page) openPage(page.id);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [ids]);
}
