import { useState } from 'preact/hooks';
import type { CardFigures } from '../../../analyses/allocations/what-if/answer.ts';
import { formatBytes } from '../../../base/bytes.ts';
import type { PageProps } from '../page.ts';
import { ValueField } from './fields.tsx';
import { settingsError, settingsText, type WhatIfState } from './state.ts';

interface Props extends PageProps {
  readonly asked: WhatIfState;
  /** What the answer found wrong with the card. */
  readonly refused: string | null;
  /** As the last answer had it. */
  readonly card: CardFigures | null;
}

/** Other settings than the usual ones, a card or a limit to try them with, and whether the smallest is looked for. */
export function WhatIfControls(props: Props) {
  const { asked, refused, card, state, setState } = props;
  const context = card ? `${formatBytes(card.contextBytes)}, ${card.contextFrom}` : '512MiB';
  return (
    <>
      <div class="row what-if-asked">
        <SettingsForm {...props} />
        <ValueField
          {...{ name: 'card', label: 'On a card', size: 13, state, setState }}
          title="A card to try it on: its name, or its memory with a unit"
          placeholder="24GiB, A10G …"
          error={asked.card.error ?? refused}
        />
        <ValueField
          {...{ name: 'context', label: 'Other memory of the card', size: 14, state, setState }}
          title="Of the card, what context, libraries and other programs take, with a unit: as measured or assumed where it is empty"
          placeholder={asked.card.text === null ? 'needs a card' : context}
          disabled={asked.card.text === null}
          error={asked.context.error}
        />
        <ValueField
          {...{ name: 'limit', label: 'Within a limit', size: 8, state, setState }}
          title="What the process may reserve, with a unit, as torch.cuda.set_per_process_memory_fraction sets it"
          placeholder="20GiB"
          error={asked.limit.error}
        />
        <label title="The least that torch must be able to reserve so that the program runs to its end: several replays for each row">
          <input
            type="checkbox"
            name="smallest"
            checked={asked.smallest}
            onChange={(event) =>
              setState({ smallest: event.currentTarget.checked ? 1 : null }, 'push')
            }
          />{' '}
          Find the smallest limit
        </label>
      </div>
      <Added {...props} />
    </>
  );
}

/** A text that is asked when it can be read, and kept with what is wrong where it cannot. */
function SettingsForm({ asked, setState }: Props) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const added = text
      .split(';')
      .map((one) => one.trim())
      .filter(Boolean);
    if (added.length === 0) return;
    const wrong = added.map(settingsError).find((one) => one !== null) ?? null;
    setError(wrong);
    if (wrong !== null) return;
    setState({ set: settingsText([...asked.settings, ...added]), row: added.at(-1) }, 'push');
    setText('');
  };
  const shown = error ?? asked.settingsError;
  return (
    <form onSubmit={submit}>
      <label>
        Other settings{' '}
        <input
          name="set"
          size={34}
          placeholder="max_split_size_mb:128,…"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={shown !== null}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setError(null);
          }}
        />
      </label>{' '}
      <button type="submit">Try</button>
      {shown && (
        <p class="error" role="alert">
          {shown}
        </p>
      )}
    </form>
  );
}

/** Settings that were asked for besides, each with a way to leave it out again. */
function Added({ asked, setState }: Props) {
  if (asked.settings.length === 0) return null;
  const without = (one: string) => settingsText(asked.settings.filter((other) => other !== one));
  return (
    <fieldset class="plain chips" aria-label="Settings tried besides">
      {asked.settings.map((one) => (
        <button
          key={one}
          type="button"
          title={`Leave out ${one}`}
          onClick={() => setState({ set: without(one), row: null }, 'push')}
        >
          <span class="name code">{one}</span>
          <span aria-hidden="true">×</span>
        </button>
      ))}
    </fieldset>
  );
}
