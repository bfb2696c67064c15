import { useEffect, useState } from 'preact/hooks';
import { CARD_NAMES } from '../../../analyses/allocations/what-if/cards.ts';
import type { PageProps } from '../page.ts';
import { cardError, settingsError, settingsText, type WhatIfState } from './state.ts';

interface Props extends PageProps {
  readonly asked: WhatIfState;
  /** What the answer found wrong with the card. */
  readonly refused: string | null;
}

/** Other settings than the usual ones, and a card to try them on. */
export function WhatIfControls(props: Props) {
  return (
    <>
      <div class="row what-if-asked">
        <SettingsForm {...props} />
        <CardForm {...props} />
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

function CardForm({ asked, state, refused, setState }: Props) {
  const [text, setText] = useState(state.card ?? '');
  const [error, setError] = useState<string | null>(null);
  useEffect(() => setText(state.card ?? ''), [state.card]);
  const apply = () => {
    const card = text.trim();
    const wrong = card === '' ? null : cardError(card);
    setError(wrong);
    if (wrong === null && card !== (state.card ?? '')) setState({ card }, 'push');
  };
  const shown = error ?? asked.cardError ?? refused;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label>
        On a card{' '}
        <input
          name="card"
          size={15}
          list="what-if-cards"
          placeholder="24GiB, A10G …"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={shown !== null}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setError(null);
          }}
          onChange={apply}
        />
      </label>
      <datalist id="what-if-cards">
        {CARD_NAMES.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
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
