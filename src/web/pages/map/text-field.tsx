import { useEffect, useState } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly hint: string;
  readonly value: string | undefined;
  /** In letters. */
  readonly width?: number;
  check?(text: string): boolean;
  set(text: string | null): void;
}

/** A rest this long means that the reader has finished a word. */
const REST_MS = 250;

/** A field that takes effect while one types, and says when it cannot be read. */
export function TextField({ label, hint, value = '', width = 7, check, set }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => set(text === '' ? null : text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const good = check?.(text) ?? true;
  return (
    <input
      type="search"
      aria-label={label}
      title={label}
      placeholder={hint}
      aria-invalid={!good}
      style={{ width: `${width}em` }}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
