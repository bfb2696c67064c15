import { useEffect, useRef } from 'preact/hooks';
import { formatDuration } from '../../base/time.ts';
import type { InputInfo, InputsInfo } from '../../model/inputs-info.ts';
import { hrefOf, setState } from '../address.ts';
import type { Page } from '../pages/page.ts';
import { isOneFile, store } from '../store.ts';
import { chosenTheme, setTheme, type ThemeChoice } from '../theme.ts';
import { ShareMenu } from './share-menu.tsx';

interface Props {
  readonly inputs: InputsInfo;
  readonly run: InputInfo | undefined;
  readonly pages: readonly Page[];
  readonly page: Page | undefined;
}

/** The run, the pages as tabs, and whether it is still going on. */
export function TopBar({ inputs, run, pages, page }: Props) {
  const open = inputs.runs.filter(({ status }) => status === 'open');
  const tabs = useRef<HTMLElement>(null);
  // In a narrow window not all tabs are in sight: the one that is shown is.
  useEffect(() => {
    const shown = tabs.current?.querySelector('[aria-current=page]');
    shown?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [page?.id, pages.length]);
  return (
    <header class="top-bar">
      {inputs.resources.includes('recordings') ? (
        <a class="brand" href="#/recordings" title="All recordings here">
          Highwater
        </a>
      ) : (
        <span class="brand">Highwater</span>
      )}
      {open.length > 1 ? (
        <select
          class="run-choice"
          aria-label="Run"
          value={run?.id}
          onChange={(event) => setState({ run: event.currentTarget.value }, 'push')}
        >
          {open.map(({ id, name }) => (
            <option key={id} value={id}>
              {name.slice(0, 200)}
            </option>
          ))}
        </select>
      ) : (
        <span class="run-name" title={run?.path.slice(0, 500)}>
          <bdi>{run?.name.slice(0, 200) ?? ''}</bdi>
        </span>
      )}
      {run && run.stopsAt !== null && (
        <span class="incomplete" title="The recording stops before what it records did.">
          incomplete, stops at {formatDuration(run.stopsAt)}
        </span>
      )}
      <nav aria-label="Pages" ref={tabs}>
        {pages.map(({ id, title, key }) => (
          <a
            key={id}
            href={hrefOf(id)}
            title={`${title} (${key})`}
            aria-current={id === page?.id ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <span class="spacer" />
      <RunState inputs={inputs} />
      {run && page && <ShareMenu run={run} page={page.id} />}
      {isOneFile && <span class="muted one-file">one-file report</span>}
      <ThemeSwitch />
    </header>
  );
}

/** Whether it goes on, has ended while the page was open, or nobody tells any more. */
function RunState({ inputs }: { inputs: InputsInfo }) {
  const connection = store.connection.value;
  if (inputs.live && connection === 'open') {
    return (
      <span class="live" role="status">
        live
      </span>
    );
  }
  if (connection === 'lost') return <span class="gone">not connected</span>;
  if (!store.wasLive.value) return null;
  return (
    <span class="finished" role="status">
      finished
    </span>
  );
}

const CHOICES: readonly { choice: ThemeChoice; label: string }[] = [
  { choice: 'auto', label: 'system' },
  { choice: 'light', label: 'light' },
  { choice: 'dark', label: 'dark' },
];

function ThemeSwitch() {
  const choice = chosenTheme.value;
  useEffect(() => {
    document.documentElement.dataset.theme = choice;
  }, [choice]);
  return (
    <select
      class="theme-switch"
      aria-label="Colours"
      value={choice}
      onChange={(event) => setTheme(event.currentTarget.value as ThemeChoice)}
    >
      {CHOICES.map(({ choice: value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}
