import type { Fit } from '../../../analyses/fit/index.ts';
import { fitChart } from '../../../views/chart/fit.ts';
import { figureRows, groupSentences, headSentence } from '../../../views/sweep/fit.ts';
import { RowsTable } from '../../parts/rows-table.tsx';
import { SaveScene } from '../../parts/save-scene.tsx';
import { SceneView } from '../../parts/scene-view.tsx';
import { useWidth } from '../../parts/width.ts';
import { isOneFile } from '../../store.ts';
import { theme } from '../../theme.ts';
import type { PageProps } from '../page.ts';

interface Props extends PageProps {
  readonly fit: Fit | null;
  readonly error: string | null;
}

/** What would fit: asked here, answered with a sentence, a curve and the figures behind it. */
export function FitView(props: Props) {
  const { fit, error } = props;
  return (
    <div class="fit">
      {!isOneFile && <Question {...props} />}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {fit && <Answered fit={fit} />}
    </div>
  );
}

function Question({ state, setState }: Props) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const said = new FormData(event.currentTarget as HTMLFormElement);
    const word = (name: string) => String(said.get(name) ?? '').trim();
    setState({ fit: word('fit'), at: word('at'), inuse: word('inuse') }, 'push');
  };
  const field = (name: string, label: string, placeholder: string) => (
    <label>
      {label}{' '}
      <input
        name={name}
        placeholder={placeholder}
        value={state[name] ?? ''}
        size={14}
        autocomplete="off"
      />
    </label>
  );
  return (
    <form class="row" onSubmit={submit}>
      {field('fit', 'What would fit into', '24GiB')}
      {field('at', 'at', 'batch=48')}
      {field('inuse', 'in use by others', 'as measured')}
      <button type="submit">Tell</button>
    </form>
  );
}

function Answered({ fit }: { fit: Fit }) {
  const [ref, width] = useWidth<HTMLDivElement>(400);
  const drawn = fit.groups.some(({ curves }) => curves.length > 0);
  const scene = drawn ? fitChart(fit, { width: Math.min(width, 960), theme: theme.value }) : null;
  return (
    <div ref={ref} data-test="fit">
      <p class="headline">{headSentence(fit)}</p>
      {fit.groups.map((group) => (
        <div key={group.name}>
          {groupSentences(fit, group).map((text) => (
            <p key={text}>{text}</p>
          ))}
        </div>
      ))}
      {scene && (
        <div class="plot-view">
          <SceneView scene={scene} />
          <SaveScene scene={scene} name="fit" />
        </div>
      )}
      {fit.groups.map((group) => (
        <RowsTable
          key={group.name}
          label={`figures ${group.name}`.trim()}
          rows={figureRows(group)}
        />
      ))}
      <ul class="notes">
        {fit.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </div>
  );
}
