import { useEffect, useState } from 'preact/hooks';
import { CARD_NAMES } from '../../../analyses/allocations/what-if/cards.ts';
import type { PageProps } from '../page.ts';
import { type FieldName, fieldError } from './state.ts';

interface FieldProps extends Pick<PageProps, 'state' | 'setState'> {
  readonly name: FieldName;
  readonly label: string;
  /** What it is, and how it is written. */
  readonly title: string;
  readonly placeholder: string;
  readonly size: number;
  readonly disabled?: boolean;
  /** What is wrong with what the address has, or what the answer found wrong. */
  readonly error: string | null;
}

/** A value that is asked for when it can be read, and kept with what is wrong where it cannot. */
export function ValueField(props: FieldProps) {
  const { name, label, title, placeholder, size, disabled = false, state, setState } = props;
  const asked = state[name] ?? '';
  const [text, setText] = useState(asked);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => setText(asked), [asked]);
  const apply = () => {
    const value = text.trim();
    const wrong = value === '' ? null : fieldError(name, value, state);
    setError(wrong);
    if (wrong === null && value !== asked) setState({ [name]: value }, 'push');
  };
  const shown = error ?? props.error;
  const errorId = `what-if-${name}-error`;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <label title={title}>
        {label}{' '}
        <input
          {...{ name, size, placeholder, disabled }}
          list={name === 'card' ? 'what-if-cards' : undefined}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={shown !== null}
          aria-describedby={shown === null ? undefined : errorId}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setError(null);
          }}
          onChange={apply}
        />
      </label>
      {name === 'card' && <CardNames />}
      {shown !== null && (
        <p class="error" role="alert" id={errorId}>
          {shown}
        </p>
      )}
    </form>
  );
}

function CardNames() {
  return (
    <datalist id="what-if-cards">
      {CARD_NAMES.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
