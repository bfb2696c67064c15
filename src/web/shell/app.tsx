import { useEffect } from 'preact/hooks';
import type { InputInfo, InputsInfo } from '../../model/inputs-info.ts';
import { address, setState } from '../address.ts';
import { PAGES } from '../pages/index.ts';
import { ErrorBox, ProgressBar } from '../parts/waiting.tsx';
import { store } from '../store.ts';
import { Inputs } from './inputs.tsx';
import { useKeys } from './keys.ts';
import { PageFrame } from './page-frame.tsx';
import { TopBar } from './top-bar.tsx';

/** The frame around every page: which run, which page, and what could not be opened. */
export function App() {
  const job = store.job.value;
  const failure = store.failure.value;
  if (!job) {
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
  return <Job job={job} failure={failure} />;
}

function Job({ job, failure }: { job: InputsInfo; failure: string | null }) {
  const { page: wanted, state } = address.value;
  const run = chosen(job, state.run);
  const pages = run ? PAGES.filter((page) => page.shows(job, run)) : [];
  const page = pages.find(({ id }) => id === wanted) ?? pages[0];
  useKeys(pages);
  useEffect(() => {
    document.title = run ? `${run.name} · Highwater` : 'Highwater';
  }, [run?.name]);
  return (
    <div class="app">
      <TopBar job={job} run={run} pages={pages} page={page} />
      <Inputs job={job} run={run} failure={failure} />
      {run && page && <PageFrame key={page.id} page={page} props={{ job, run, state, setState }} />}
    </div>
  );
}

/** The run in the address, or the first that is open. */
function chosen(job: InputsInfo, id: string | undefined): InputInfo | undefined {
  const open = job.runs.filter(({ status }) => status === 'open');
  return open.find((run) => run.id === id) ?? open[0];
}
