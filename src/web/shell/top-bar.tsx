import { useEffect, useRef } from 'preact/hooks';
import { formatDuration } from '../../base/time.ts';
import type { InputInfo, InputsInfo } from '../../model/inputs-info.ts';
import { hrefOf, setState } from '../address.ts';
import type { Page } from '../pages/page.ts';
import { isOneFile } from '../store.ts';
import { chosenTheme, setTheme, type ThemeChoice } from '../theme.ts';

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
      <span class="brand">Highwater</span>
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
      {inputs.live && (
        <span class="live" role="status">
          live
        </span>
      )}
      {isOneFile && <span class="muted one-file">one-file report</span>}
      <ThemeSwitch />
    </header>
  );
}

const CHOICES: readonly { choice: ThemeChoice; label: string }[] = [
  { choice: 'auto', label: 'as the system' },
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
