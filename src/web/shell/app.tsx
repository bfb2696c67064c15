import { Component } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { chosenRun, firstPage } from '../../model/first-page.ts';
import type { InputInfo, InputsInfo } from '../../model/inputs-info.ts';
import { address, openPage, setState, settleOn } from '../address.ts';
import { PAGES } from '../pages/index.ts';
import type { Page, PageProps } from '../pages/page.ts';
import { Help } from '../parts/help.tsx';
import { ErrorBox, ProgressBar } from '../parts/waiting.tsx';
import { store } from '../store.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { DropArea, DropTarget } from './drop-area.tsx';
import { Home, useOpened } from './home.tsx';
import { LiveStrip } from './live-strip.tsx';
import { NoPage } from './no-page.tsx';
import { TakenFiles } from './taken-files.tsx';
import { TopBar } from './top-bar.tsx';

/** The frame around every page: which run, which page, and what could not be opened. */
export function App() {
  const inputs = store.inputs.value;
  const failure = store.failure.value;
  if (!inputs) {
    return (
      <main class="alone">
        {store.open ? (
          <DropArea open={store.open} />
        ) : failure ? (
          <ErrorBox title="No data." text={failure} />
        ) : (
          <ProgressBar label="Asking for the recording …" />
        )}
        {store.open && <DropTarget open={store.open} />}
      </main>
    );
  }
  return <OpenedInputs inputs={inputs} failure={failure} />;
}

function OpenedInputs({ inputs, failure }: { inputs: InputsInfo; failure: string | null }) {
  const { page: wanted, state } = address.value;
  const lists = inputs.resources.includes('recordings');
  const isHome = lists && (wanted === 'recordings' || state.run === undefined);
  const run = isHome ? undefined : chosenRun(inputs, state.run);
  const pages = run ? PAGES.filter((page) => page.shows(inputs, run)) : [];
  const first = wanted === '' ? firstPage(inputs, run) : null;
  const found = pages.find(({ id }) => id === (wanted || first));
  const page = found ?? (first === null ? undefined : pages[0]);
  useKeys(pages);
  useOpened(inputs, state.opened, PAGES);
  useEffect(() => {
    if (first !== null && page) settleOn(page.id);
  }, [first, page?.id]);
  useEffect(() => {
    document.title = run ? `${run.name} · Highwater` : 'Highwater';
  }, [run?.name]);
  return (
    <div class="app">
      <TopBar inputs={inputs} run={run} pages={pages} page={page} />
      <ConnectionNotice run={run} />
      {run && <LiveStrip key={run.id} run={run} />}
      <TakenFiles />
      <InputsState inputs={inputs} run={run} isHome={isHome} failure={failure} />
      {isHome && <Home sort={state.sort} />}
      {run && page && (
        <PageFrame key={page.id} page={page} props={{ inputs, run, state, setState }} />
      )}
      {store.open && inputs.runs.every(({ status }) => status === 'failed') && (
        <DropArea open={store.open} />
      )}
      {store.open && <DropTarget open={store.open} />}
      {run && !page && wanted !== '' && (
        <NoPage inputs={inputs} wanted={wanted} run={run} pages={pages} />
      )}
      <Help pages={pages} />
    </div>
  );
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

interface InputsProps {
  readonly inputs: InputsInfo;
  readonly run: InputInfo | undefined;
  readonly isHome: boolean;
  readonly failure: string | null;
}

/** What is still being opened and what could not be; nothing when all is well. */
function InputsState({ inputs, run, isHome, failure }: InputsProps) {
  const { cancel } = store;
  const pending = inputs.runs.filter(({ status }) => status === 'opening');
  const waiting = inputs.runs.filter(({ status }) => status === 'waiting').length;
  const failed = inputs.runs.filter(({ error }) => error !== null);
  const cancelled = inputs.runs.filter(({ status }) => status === 'cancelled');
  return (
    <div class={run || isHome ? 'inputs' : 'inputs alone'}>
      {failure && <ErrorBox title="No answer." text={failure} />}
      {pending.map(({ id, path, progress }) => (
        <ProgressBar
          key={id}
          label={`Opening ${path.slice(-200)}${waiting > 0 ? `, then ${waiting} more` : ''}`}
          progress={progress}
          cancel={cancel ? () => void cancel(id) : undefined}
        />
      ))}
      {failed.map(({ id, path, error }) => (
        <ErrorBox key={id} title={path.slice(-200)} text={error ?? ''} />
      ))}
      {cancelled.map(({ id, path }) => (
        <ErrorBox key={id} title={path.slice(-200)} text="was not opened: given up" />
      ))}
      {inputs.runs.length === 0 && !isHome && !failure && (
        <ProgressBar label="Looking for recordings …" />
      )}
      {run === undefined && pending.length === 0 && cancelled.length + failed.length > 0 && (
        <p class="muted">Nothing else was given to look at.</p>
      )}
    </div>
  );
}

/** Loads a page when it is first opened; a page that fails says so instead of leaving nothing. */
function PageFrame({ page, props }: { page: Page; props: PageProps }) {
  const [loaded] = useState(() => page.load());
  const [shown, setShown] = useState('default' in loaded ? loaded : null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    if ('default' in loaded) return;
    loaded.then(setShown, (reason: Error) => setError(reason.message));
  }, [loaded]);
  if (error) return <ErrorBox title={`${page.title} could not be loaded.`} text={error} />;
  if (!shown) return <ProgressBar label={`Loading ${page.title} …`} />;
  return (
    <main class={`page page-${page.id}`} aria-label={page.title}>
      <ErrorBoundary title={page.title}>
        <shown.default {...props} />
      </ErrorBoundary>
    </main>
  );
}

class ErrorBoundary extends Component<{ title: string }, { error: string | null }> {
  override state = { error: null };

  static override getDerivedStateFromError(error: Error) {
    return { error: error.message };
  }

  override render() {
    const { error } = this.state;
    if (error) return <ErrorBox title={`${this.props.title} failed.`} text={error} />;
    return this.props.children;
  }
}
