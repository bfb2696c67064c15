import type { InputInfo, InputsInfo } from '../../model/inputs-info.ts';
import { ErrorBox, ProgressBar } from '../parts/waiting.tsx';
import { store } from '../store.ts';

interface Props {
  readonly inputs: InputsInfo;
  readonly run: InputInfo | undefined;
  readonly failure: string | null;
}

/** What is still being opened and what could not be; nothing when all is well. */
export function Inputs({ inputs, run, failure }: Props) {
  const { cancel } = store;
  const pending = inputs.runs.filter(({ status }) => status === 'opening');
  const waiting = inputs.runs.filter(({ status }) => status === 'waiting').length;
  const failed = inputs.runs.filter(({ error }) => error !== null);
  const given = inputs.runs.filter(({ status }) => status === 'cancelled');
  return (
    <div class={run ? 'inputs' : 'inputs alone'}>
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
      {given.map(({ id, path }) => (
        <ErrorBox key={id} title={path.slice(-200)} text="was not opened: given up" />
      ))}
      {inputs.runs.length === 0 && !failure && <ProgressBar label="Looking for recordings …" />}
      {run === undefined && pending.length === 0 && given.length + failed.length > 0 && (
        <p class="muted">Nothing else was given to look at.</p>
      )}
    </div>
  );
}
